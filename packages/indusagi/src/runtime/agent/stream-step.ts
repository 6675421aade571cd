import { joinSignals, showDuration, untilAborted } from "../../core/index.ts";
import type {
  AssistantMessage,
  FinishReason,
  ModelEvent,
  ModelPort,
  ModelRequest,
  ModelUsage,
} from "../../llm/index.ts";
import type { AgentEvent, AssistantEntry } from "./contract.ts";

export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  /** A longer answer is cut off: the model is repeating itself. */
  readonly maxChars: number;
  readonly emit: (event: AgentEvent) => void;
}

export interface StreamedStep {
  readonly entry: AssistantEntry;
  /** What the model or the connection threw. */
  readonly error?: unknown;
}

type Part = AssistantMessage["content"][number];

/** Asks the model once. Never throws: the text that arrived before an abort or a failure is kept. */
export async function streamStep(
  model: ModelPort,
  request: ModelRequest,
  { signal, idleMs, maxChars, emit }: StreamOptions,
): Promise<StreamedStep> {
  const parts: Part[] = [];
  /** The text of the part that is still arriving. */
  let pending = "";
  let chars = 0;
  let finish: FinishReason | undefined;
  let usage: ModelUsage | undefined;
  let writer = model.id;
  const take = (event: ModelEvent): void => {
    if ("text" in event && (chars += event.text.length) > maxChars)
      throw new Error(`${model.id} was stopped: its answer has more than ${maxChars} characters`);
    if (event.kind === "text_delta") pending += event.text;
    if (event.kind === "part") {
      if (event.part.kind === "text") pending = "";
      parts.push(event.part);
    } else if (event.kind === "finish") {
      finish = event.reason;
      usage = event.usage;
      writer = event.model ?? writer;
    } else if (event.kind !== "call_delta") emit(event);
  };
  const entry = (how: AssistantEntry["finish"]): AssistantEntry => ({
    kind: "assistant",
    content: uniqueCalls(pending === "" ? parts : [...parts, { kind: "text", text: pending }]),
    model: writer,
    finish: how,
    ...(usage && { usage }),
  });
  try {
    await readEvents(model, request, { signal, idleMs, take });
    return { entry: entry(finish ?? "other") };
  } catch (error) {
    // Calls of an interrupted step have not run: the model makes them again if it still wants them.
    const cutOff = (how: "aborted" | "failed"): AssistantEntry => {
      const { content, ...rest } = entry(how);
      return { ...rest, content: content.filter(({ kind }) => kind === "text") };
    };
    return signal.aborted ? { entry: cutOff("aborted") } : { entry: cutOff("failed"), error };
  }
}

/** Reads to the end. Rejects at once on an abort or a long silence, even if the adapter ignores its signal. */
async function readEvents(
  model: ModelPort,
  request: ModelRequest,
  {
    signal,
    idleMs,
    take,
  }: { readonly signal: AbortSignal; readonly idleMs: number; readonly take: (event: ModelEvent) => void },
): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => {
    stop.abort(new Error(`${model.id} sent nothing for ${showDuration(idleMs)}`));
  }, idleMs);
  const either = joinSignals(signal, stop.signal);
  const events = model.stream(request, either)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await untilAborted(events.next(), either);
      if (next.done === true) return;
      timer.refresh();
      take(next.value);
    }
  } catch (error) {
    stop.abort(error);
    // Not awaited: a stuck adapter would hang here again.
    void events.return?.().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Some models give all calls of a step the same id, or none, but each answer must find its call. */
function uniqueCalls(parts: readonly Part[]): readonly Part[] {
  const taken = new Set<string>();
  return parts.map((part, index) => {
    if (part.kind !== "tool_call") return part;
    const id = part.id === "" || taken.has(part.id) ? `${part.id || "call"}_${index}` : part.id;
    taken.add(id);
    return id === part.id ? part : { ...part, id };
  });
}
