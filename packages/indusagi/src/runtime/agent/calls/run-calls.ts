import type { ToolCallPart, ToolDescriptor } from "../../../llm/index.ts";
import type { Caller, ToolBox, ToolCall, ToolFault, ToolOutcome } from "../../contract/index.ts";
import { abortedOutcome } from "../../outcomes.ts";
import type { AgentEvent, ToolEntry, TranscriptEntry } from "../contract.ts";
import { judgeRepeat, REPEATED, repeatedMessage } from "../conversation/repeat-guard.ts";
import { callBatches } from "./call-batches.ts";
import { type KnownTools, type PreparedCall, prepareCall } from "./prepare-call.ts";

export interface RunCallsOptions {
  readonly box: ToolBox;
  readonly tools: KnownTools;
  readonly transcript: readonly TranscriptEntry[];
  readonly isReadOnly: (call: ToolCall, tool: ToolDescriptor) => boolean;
  readonly caller: Caller | undefined;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Called for each answer as soon as it is there. */
  readonly answered: (entry: ToolEntry) => Promise<void>;
}

type ReadyCall = Extract<PreparedCall, { readonly kind: "ready" }>;

/** Runs the calls of one step. Every call gets one answer, also after an abort. Returns whether the turn must end. */
export async function runCalls(
  calls: readonly ToolCallPart[],
  options: RunCallsOptions,
): Promise<"go on" | "repeating"> {
  const { tools, transcript, isReadOnly, answered } = options;
  const ordered: { readonly isReadOnly: boolean; readonly run: () => Promise<void> }[] = [];
  let isRepeating = false;
  for (const part of calls) {
    const prepared = await prepareCall(part, tools);
    const verdict = judgeRepeat(transcript, part);
    isRepeating ||= verdict === "end";
    if (prepared.kind === "refused" || verdict !== "run") {
      const entry = prepared.kind === "refused" ? refusedEntry(prepared) : repeatedEntry(part);
      ordered.push({ isReadOnly: true, run: () => answered(entry) });
    } else {
      const call = { id: part.id, name: part.name, input: prepared.input };
      const run = async (): Promise<void> => answered(await runOne(prepared, call, options));
      ordered.push({ isReadOnly: isReadOnly(call, prepared.tool), run });
    }
  }
  for (const batch of callBatches(ordered)) await Promise.all(batch.map(({ run }) => run()));
  return isRepeating ? "repeating" : "go on";
}

async function runOne({ part }: ReadyCall, call: ToolCall, options: RunCallsOptions): Promise<ToolEntry> {
  const { box, signal, emit, caller } = options;
  if (signal.aborted) return entryOf(part, abortedOutcome(part.id, part.name, false));
  emit({ kind: "tool_start", call: part, sent: call.input });
  const progress: Caller["progress"] = (note) => {
    emit({ kind: "tool_progress", id: part.id, note });
    caller?.progress?.(note);
  };
  const outcome = await box.runner.run(call, signal, { key: "agent", can: {}, ...caller, progress });
  return { ...entryOf(part, outcome), sent: call.input };
}

function entryOf({ id, name, input }: ToolCallPart, { result, isError, fault }: ToolOutcome): ToolEntry {
  return { kind: "tool", id, name, given: input, content: result.content, isError, ...(fault && { fault }) };
}

function refusedEntry({
  part,
  message,
  fault,
}: Extract<PreparedCall, { readonly kind: "refused" }>): ToolEntry {
  return failedEntry(part, message, fault);
}

function repeatedEntry(part: ToolCallPart): ToolEntry {
  return failedEntry(part, repeatedMessage(part.name), {
    kind: "tool_error",
    reason: REPEATED,
    retrySafe: true,
  });
}

function failedEntry({ id, name, input }: ToolCallPart, text: string, fault: ToolFault): ToolEntry {
  return { kind: "tool", id, name, given: input, content: [{ kind: "text", text }], isError: true, fault };
}
