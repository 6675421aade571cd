/** What a vendor attached to a part of its answer, such as a signature. Opaque; sent back unchanged on the next turn. */
export interface VendorData {
  readonly [vendor: string]: unknown;
}

/** Text from the user, from the program around the model, or from the model. */
export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly vendor?: VendorData;
}

/** An image for the model. */
export interface ImagePart {
  readonly kind: "image";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A model's reasoning before its answer. Sent back unchanged on the next turn if the vendor requires it. */
export interface ReasoningPart {
  readonly kind: "reasoning";
  readonly text: string;
  readonly vendor?: VendorData;
}

/** The model's request to run a tool. */
export interface ToolCallPart {
  readonly kind: "tool_call";
  /** The model's id for this call; the result has the same id. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them, not coerced or checked. */
  readonly input: unknown;
  readonly vendor?: VendorData;
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

/** One message of a conversation. The system prompt is not a message: it is `ModelRequest.system`. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** Text for the model. */
export interface TextContentBlock {
  readonly kind: "text";
  readonly text: string;
}

/** A JSON value for the model. */
export interface JsonContentBlock {
  readonly kind: "json";
  readonly value: unknown;
  /**
   * `value` is an MCP content block (image, audio, resource …) and is sent to MCP clients as that block.
   * Only this flag decides: JSON that looks like a block stays JSON.
   */
  readonly mcp?: true;
}

/** One piece of a tool's answer. The tag is `kind`; MCP's `type` appears only on the wire. */
export type ToolContentBlock = TextContentBlock | JsonContentBlock;
