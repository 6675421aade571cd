import type {
  AssistantMessage,
  FinishReason,
  ModelPort,
  ModelUsage,
  ThinkingLevel,
  ToolCallPart,
  ToolContentBlock,
  ToolDescriptor,
  ToolOrigin,
  UserMessage,
} from "../../llm/index.ts";
import type { Caller, ProgressNote, ToolBox, ToolBoxChange, ToolCall, ToolFault } from "../contract/index.ts";

/**
 * Why a turn ended. `stop`, `length`, `refused` and `other` are the model's own reasons. `step_limit`: the model still
 * wanted to call tools. `repeating`: it kept making the same call. `failed`: the request to the model failed.
 */
export type AgentEndReason =
  | "stop"
  | "length"
  | "refused"
  | "other"
  | "step_limit"
  | "repeating"
  | "aborted"
  | "failed";

/** A tool's answer. If it is large, the result store keeps it and `content` is a preview. */
export interface ToolEntry {
  readonly kind: "tool";
  /** The id of the model's call. */
  readonly id: string;
  readonly name: string;
  /** The server's tool that the tool called, see `ToolResult`. A `fault` is then about that one. */
  readonly origin?: ToolOrigin;
  /** The arguments as the model wrote them. */
  readonly given: unknown;
  /** The arguments as the tool got them. Absent if the tool was not run. */
  readonly sent?: unknown;
  readonly content: readonly ToolContentBlock[];
  readonly isError: boolean;
  /** Present if no tool answered. */
  readonly fault?: ToolFault;
  /** The id of the full answer in the result store. Absent: `content` is complete. */
  readonly stored?: string;
}

export interface AssistantEntry {
  readonly kind: "assistant";
  readonly content: AssistantMessage["content"];
  /** The model that wrote it. */
  readonly model: string;
  /** `aborted` and `failed`: the text so far. */
  readonly finish: FinishReason | "aborted" | "failed";
  readonly usage?: ModelUsage;
}

/** From here on the model gets a shortened history. The entries themselves stay. */
export interface CompactionEntry {
  readonly kind: "compaction";
  /** Tool answers before this position are shown as previews. */
  readonly previewsBefore: number;
  /** Replaces everything before its position. */
  readonly summary?: { readonly before: number; readonly text: string };
}

/** Everything that was said and done, in order. Entries are only ever appended. */
export type TranscriptEntry =
  | { readonly kind: "user"; readonly content: UserMessage["content"] }
  | AssistantEntry
  | ToolEntry
  | CompactionEntry;

export type AgentEvent =
  | { readonly kind: "step"; readonly step: number }
  | { readonly kind: "text_delta"; readonly text: string }
  | { readonly kind: "reasoning_delta"; readonly text: string }
  /** The tools changed since the last request to the model. */
  | { readonly kind: "tools_changed"; readonly change: ToolBoxChange }
  | { readonly kind: "tool_start"; readonly call: ToolCallPart; readonly sent: unknown }
  | { readonly kind: "tool_progress"; readonly id: string; readonly note: ProgressNote }
  /** An entry was appended to the transcript. */
  | { readonly kind: "entry"; readonly position: number; readonly entry: TranscriptEntry }
  /** The conversation could not be shortened. The turn continues. */
  | { readonly kind: "compaction_failed"; readonly message: string }
  | {
      readonly kind: "end";
      readonly reason: AgentEndReason;
      readonly steps: number;
      /** The sum over the steps of this turn. */
      readonly usage: ModelUsage;
      /** With `failed`: what was thrown. */
      readonly error?: unknown;
    };

/** Keeps tool results that are too long for the conversation. */
export interface ResultStore {
  keep(id: string, text: string): Promise<void>;
  /** Undefined if there is none with this id. */
  read(id: string): Promise<string | undefined>;
  /** Whether there is nothing to read. Absent: an agent counts only what its own conversation stored. */
  isEmpty?(): boolean;
}

export interface ResultOptions {
  /** A longer answer is stored and shown as a preview. Default: 30,000 characters. */
  readonly maxChars?: number;
  /** Default: in memory. */
  readonly store?: ResultStore;
}

export interface ContextOptions {
  /** The model's context window, in tokens. Without it, the conversation is shortened only on request. */
  readonly windowTokens?: number;
  /** Default: true. False: only `compact()` shortens. */
  readonly auto?: boolean;
}

export interface AgentOptions {
  readonly model: ModelPort;
  readonly box: ToolBox;
  readonly system?: string;
  /** Continues an earlier conversation. */
  readonly transcript?: readonly TranscriptEntry[];
  /** The most requests to the model in one turn. Default: 100. */
  readonly maxSteps?: number;
  readonly thinking?: ThinkingLevel;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** Calls for which this is true run concurrently. Default: the tool's own hint. */
  readonly isReadOnly?: (call: ToolCall, tool: ToolDescriptor) => boolean;
  /** Answers questions from tools. Its progress listener is called in addition to the agent's events. */
  readonly caller?: Caller;
  readonly results?: ResultOptions;
  readonly context?: ContextOptions;
  /** How long the model may be silent. Default: 5 minutes. */
  readonly idleMs?: number;
  /** A longer answer is cut off, and the turn fails. Default: 1,000,000 characters. */
  readonly maxAnswerChars?: number;
  /**
   * Every tool that the box runs, if it does not list them all, such as those a model has to search for. The model may call
   * each of them by name. Default: those that are listed.
   */
  readonly callable?: () => readonly ToolDescriptor[];
  /** When the model gets changed tools. `turn` keeps the start of the request stable, for caching. Default: `step`. */
  readonly toolsChange?: "step" | "turn";
}

/** A conversation with a model that can call tools. */
export interface Agent {
  /**
   * Adds a user message and runs the model until it is done. Never throws: the last event is `end`. Leaving the loop early
   * aborts the turn. One turn runs at a time.
   */
  send(
    content: string | UserMessage["content"],
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<AgentEvent>;
  /** Shortens the conversation now. Resolves to the appended entry; undefined if there is nothing to shorten. */
  compact(signal?: AbortSignal): Promise<CompactionEntry | undefined>;
  transcript(): readonly TranscriptEntry[];
  /** The sum over all turns of this agent. */
  usage(): ModelUsage;
  /** Estimates the tokens of the next request, without the tools. */
  contextTokens(): Promise<number>;
}

const COUNTS = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;

/** Adds two usage counts. A number that neither has stays absent. */
export function addUsage(total: ModelUsage, more: ModelUsage): ModelUsage {
  const sums = COUNTS.flatMap((count) => {
    const values = [total[count], more[count]].filter((value) => value !== undefined);
    return values.length > 0 ? [[count, values.reduce((sum, value) => sum + value, 0)] as const] : [];
  });
  return Object.fromEntries(sums);
}
