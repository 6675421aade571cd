import type { Message, ReasoningPart, TextPart, ToolCallPart } from "./message.ts";
import type { ToolDescriptor } from "./tool-descriptor.ts";

/** How much a model should reason before it answers. Ignored by models without this setting. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** The input for one model turn. */
export interface ModelRequest {
  /** The system prompt. */
  readonly system?: string;
  readonly messages: readonly Message[];
  /** The tools the model may call. The adapter converts each schema to its vendor's dialect. */
  readonly tools: readonly ToolDescriptor[];
  /** `auto` (the default) lets the model choose, `none` forbids tools, `required` demands at least one call. */
  readonly toolChoice?: "auto" | "none" | "required";
  readonly thinking?: ThinkingLevel;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
}

/** Token counts of one turn, as far as the vendor reports them. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why a model stopped. */
export type FinishReason = "stop" | "tool_calls" | "length" | "refused" | "other";

/**
 * An event of a running turn. `*_delta` events are for display only; the `part` that follows them is complete, and
 * only parts are added to the conversation. `finish` comes last and exactly once.
 */
export type ModelEvent =
  | { readonly kind: "text_delta"; readonly text: string }
  | { readonly kind: "reasoning_delta"; readonly text: string }
  /** A piece of a call's arguments. It shows that the model is working: a long call may take minutes to arrive. */
  | { readonly kind: "call_delta"; readonly text: string }
  | { readonly kind: "part"; readonly part: TextPart | ReasoningPart | ToolCallPart }
  /** `model`: who answered, if not the port's own model. */
  | {
      readonly kind: "finish";
      readonly reason: FinishReason;
      readonly usage?: ModelUsage;
      readonly model?: string;
    };

/** A model of any vendor. The agent loop uses only this interface. */
export interface ModelPort {
  /** The model's name in configuration and transcripts, e.g. `anthropic/some-model`. */
  readonly id: string;
  /** Runs one turn. Throws if the vendor refuses; if the signal aborts, throws the signal's reason. */
  stream(request: ModelRequest, signal?: AbortSignal): AsyncIterable<ModelEvent>;
}
