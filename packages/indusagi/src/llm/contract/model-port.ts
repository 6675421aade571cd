import type { Message, ReasoningPart, TextPart, ToolCallPart } from "./message.ts";
import type { ToolDescriptor } from "./tool-descriptor.ts";

/** How hard a model should think before it answers. A model without such a dial ignores it. */
export type ThinkingLevel = "off" | "minimal" | "low" | "medium" | "high" | "xhigh";

/** Everything a model needs for one turn. */
export interface ModelRequest {
  /** The briefing. */
  readonly system?: string;
  readonly messages: readonly Message[];
  /** The tools on offer. The adapter projects each schema into its vendor's dialect. */
  readonly tools: readonly ToolDescriptor[];
  /** `auto` (the default) lets the model choose, `none` forbids tools, `required` wants at least one call. */
  readonly toolChoice?: "auto" | "none" | "required";
  readonly thinking?: ThinkingLevel;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
}

/** What one turn cost, as far as the vendor says. */
export interface ModelUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why a model stopped. */
export type FinishReason = "stop" | "tool_calls" | "length" | "refused" | "other";

/**
 * A turn as it happens. `*_delta` events are for the eyes of whoever watches; the part that follows them
 * is whole, and it alone goes into the conversation. `finish` comes last and exactly once.
 */
export type ModelEvent =
  | { readonly kind: "text_delta"; readonly text: string }
  | { readonly kind: "reasoning_delta"; readonly text: string }
  | { readonly kind: "part"; readonly part: TextPart | ReasoningPart | ToolCallPart }
  | { readonly kind: "finish"; readonly reason: FinishReason; readonly usage?: ModelUsage };

/** Any model, whatever its vendor: the only thing the agent loop knows of models. */
export interface ModelPort {
  /** How the model is called in configuration and transcripts, e.g. `anthropic/some-model`. */
  readonly id: string;
  /** Runs one turn. Ends by throwing when the vendor refuses or the signal aborts (then with the signal's reason). */
  stream(request: ModelRequest, signal?: AbortSignal): AsyncIterable<ModelEvent>;
}
