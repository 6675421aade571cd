import type { ToolContentBlock } from "./content.ts";

/** Words of a person, of the program around the model, or of the model. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
}

/** A picture shown to the model. */
export interface ImagePart {
  readonly kind: "image";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** What a model thought before it spoke. Given back unchanged on the next turn, where its vendor asks for that. */
export interface ReasoningPart {
  readonly kind: "reasoning";
  readonly text: string;
  /** The vendor's seal over the text; opaque. */
  readonly signature?: string;
}

/** The model asks for a tool to be run. */
export interface ToolCallPart {
  readonly kind: "tool_call";
  /** The model's id for this call; the result carries the same. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: not yet coerced, not yet checked. */
  readonly input: unknown;
}

/** The answer to one `ToolCallPart`. */
export interface ToolResultPart {
  readonly kind: "tool_result";
  readonly id: string;
  readonly name: string;
  readonly content: readonly ToolContentBlock[];
  readonly isError: boolean;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: readonly (TextPart | ImagePart)[];
}

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly (TextPart | ReasoningPart | ToolCallPart)[];
}

export interface ToolMessage {
  readonly role: "tool";
  readonly content: readonly ToolResultPart[];
}

/** One turn of a conversation. The system prompt is not a turn: it is `ModelRequest.system`. */
export type Message = UserMessage | AssistantMessage | ToolMessage;
