import { describeError } from "../../core/index.ts";
import type { ModelUsage, ToolCallPart, ToolDescriptor } from "../../llm/index.ts";
import type { ToolBox, ToolBoxChange } from "../contract/index.ts";
import {
  type AgentEndReason,
  type AgentEvent,
  type AgentOptions,
  addUsage,
  type ResultStore,
  type ToolEntry,
  type TranscriptEntry,
} from "./contract.ts";
import { compact } from "./conversation/compact.ts";
import { callsOf, conversationView, withoutToolParts } from "./conversation/conversation-view.ts";
import { messageTokens } from "./conversation/message-tokens.ts";
import { previewOf, READ_RESULT, resultText } from "./results/preview.ts";
import { runCalls } from "./run-calls.ts";
import { streamStep } from "./stream-step.ts";

const MAX_STEPS = 100;
const IDLE_MS = 5 * 60_000;
/** More than the longest answer of any vendor. */
const MAX_ANSWER_CHARS = 1_000_000;
/** The conversation is shortened when it fills more of the window than this. */
const FULL_SHARE = 0.8;

/** What a turn works on. The agent owns the transcript; a turn appends to it. */
export interface TurnState {
  readonly options: AgentOptions;
  /** The agent's tools and the one that reads stored answers. */
  readonly box: ToolBox;
  readonly store: Required<ResultStore>;
  /** A longer answer is stored. */
  readonly maxResultChars: number;
  readonly transcript: TranscriptEntry[];
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

/** Runs the model and its tools until the turn is over. Never throws. */
export async function runTurn(state: TurnState): Promise<void> {
  const { emit } = state;
  const turn = new Turn(state);
  try {
    const reason = await turn.run();
    emit({ kind: "end", reason, ...turn.figures, ...(reason === "failed" && { error: turn.error }) });
  } catch (error) {
    // The store failed, or the box broke its contract.
    emit({ kind: "end", reason: "failed", ...turn.figures, error });
  }
}

class Turn {
  error: unknown;
  readonly #state: TurnState;
  readonly #maxSteps: number;
  #steps = 0;
  #usage: ModelUsage = {};
  /** The tools of the box, at the time of the last request. */
  #listed: readonly ToolDescriptor[] | undefined;
  /** Those of them that the model was offered. */
  #tools: readonly ToolDescriptor[] | undefined;

  constructor(state: TurnState) {
    this.#state = state;
    this.#maxSteps = state.options.maxSteps ?? MAX_STEPS;
  }

  get figures(): { readonly steps: number; readonly usage: ModelUsage } {
    return { steps: this.#steps, usage: this.#usage };
  }

  async run(): Promise<AgentEndReason> {
    const { transcript, signal } = this.#state;
    for (;;) {
      const action = nextAction(transcript, { steps: this.#steps, maxSteps: this.#maxSteps });
      if (action.kind === "call") {
        if ((await this.#call(action.calls)) === "repeating") return "repeating";
      }
      // After the calls, so each of them has its answer.
      if (signal.aborted) return "aborted";
      if (action.kind === "end") return action.reason;
      if (action.kind === "ask") await this.#ask();
    }
  }

  async #ask(): Promise<void> {
    const { options, transcript, signal, emit } = this.#state;
    await this.#shorten();
    if (signal.aborted) return;
    emit({ kind: "step", step: ++this.#steps });
    const { model, system, thinking, maxOutputTokens, temperature } = options;
    const tools = this.#offerTools();
    const messages = conversationView(transcript);
    const request = {
      messages: tools.length > 0 ? messages : withoutToolParts(messages),
      tools,
      ...(system !== undefined && { system }),
      ...(thinking !== undefined && { thinking }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(temperature !== undefined && { temperature }),
    };
    const { entry, error } = await streamStep(model, request, {
      signal,
      emit,
      idleMs: options.idleMs ?? IDLE_MS,
      maxChars: options.maxAnswerChars ?? MAX_ANSWER_CHARS,
    });
    this.error = error;
    if (entry.usage) this.#usage = addUsage(this.#usage, entry.usage);
    this.#append(entry);
  }

  #call(calls: readonly ToolCallPart[]): Promise<"continue" | "repeating"> {
    const { options, box, transcript, signal, emit } = this.#state;
    return runCalls(calls, {
      box,
      tools: { listed: this.#tools ?? box.descriptors(), callable: options.callable },
      transcript: [...transcript],
      isReadOnly: options.isReadOnly ?? ((_, { annotations }) => annotations?.readOnlyHint === true),
      caller: options.caller,
      signal,
      emit,
      answered: async (entry) => this.#append(await this.#fitted(entry)),
    });
  }

  /** Stores a long answer and puts a preview into the conversation. */
  async #fitted(entry: ToolEntry): Promise<ToolEntry> {
    const { maxResultChars: maxChars, store, transcript } = this.#state;
    const text = resultText(entry.content);
    if (text.length <= maxChars) return entry;
    // Unique: the position grows with each entry, and the call id distinguishes the calls of one step.
    const id = `r${transcript.length}_${entry.id.slice(-8)}`;
    await store.keep(id, text);
    return { ...entry, content: previewOf(entry.content, { id, maxChars }), stored: id };
  }

  /** The tools for the next request. Reports changes since the last one. */
  #offerTools(): readonly ToolDescriptor[] {
    const { options, box, emit } = this.#state;
    const before = this.#listed;
    const now = before && options.toolsChange === "turn" ? before : box.descriptors();
    if (before && before !== now) emit({ kind: "tools_changed", change: changeOf(before, now) });
    this.#listed = now;
    this.#tools = this.#withUsefulReader(now);
    return this.#tools;
  }

  /**
   * The reader of stored results comes with the first result, also during a turn: a preview names it. It is the last tool, so
   * the start of the request stays the same. An agent without other tools has nothing to read: it only answers.
   */
  #withUsefulReader(tools: readonly ToolDescriptor[]): readonly ToolDescriptor[] {
    const reader = tools.filter(({ name }) => name === READ_RESULT);
    const others = tools.filter(({ name }) => name !== READ_RESULT);
    return others.length > 0 && !this.#state.store.isEmpty() ? [...others, ...reader] : others;
  }

  /** Continues if shortening fails: the request may still fit. */
  async #shorten(): Promise<void> {
    const { options, transcript, store, signal, emit } = this.#state;
    const { windowTokens, auto = true } = options.context ?? {};
    if (windowTokens === undefined || !auto) return;
    if (messageTokens(conversationView(transcript)) <= windowTokens * FULL_SHARE) return;
    try {
      const entry = await compact(transcript, { model: options.model, store, windowTokens, signal });
      if (entry) this.#append(entry);
    } catch (error) {
      if (!signal.aborted) emit({ kind: "compaction_failed", message: describeError(error) });
    }
  }

  #append(entry: TranscriptEntry): void {
    const { transcript, emit } = this.#state;
    transcript.push(entry);
    emit({ kind: "entry", position: transcript.length - 1, entry });
  }
}

function changeOf(before: readonly ToolDescriptor[], now: readonly ToolDescriptor[]): ToolBoxChange {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const kept = new Set(now.map(({ name }) => name));
  return {
    added: now.filter(({ name }) => !old.has(name)),
    changed: now.filter((tool) => old.has(tool.name) && old.get(tool.name) !== tool),
    removed: before.filter(({ name }) => !kept.has(name)),
  };
}

type AgentAction =
  | { readonly kind: "ask" }
  | { readonly kind: "call"; readonly calls: readonly ToolCallPart[] }
  | { readonly kind: "end"; readonly reason: AgentEndReason };

/** What a turn does next. Only the transcript decides, so a turn can continue from any transcript. */
export function nextAction(
  transcript: readonly TranscriptEntry[],
  { steps, maxSteps }: { readonly steps: number; readonly maxSteps: number },
): AgentAction {
  const position = transcript.findLastIndex(({ kind }) => kind === "assistant" || kind === "user");
  const last = transcript[position];
  if (last?.kind !== "assistant") return askOrStop(steps, maxSteps);
  const answered = new Set(
    transcript.slice(position + 1).flatMap((entry) => (entry.kind === "tool" ? [entry.id] : [])),
  );
  const calls = callsOf(last);
  const open = calls.filter(({ id }) => !answered.has(id));
  if (open.length > 0) return { kind: "call", calls: open };
  if (calls.length > 0) return askOrStop(steps, maxSteps);
  return { kind: "end", reason: last.finish === "tool_calls" ? "other" : last.finish };
}

function askOrStop(steps: number, maxSteps: number): AgentAction {
  return steps < maxSteps ? { kind: "ask" } : { kind: "end", reason: "step_limit" };
}
