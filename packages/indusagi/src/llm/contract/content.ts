/** Text for the model. */
export interface TextContentBlock {
  readonly kind: "text";
  readonly text: string;
}

/** A value that is more than text. */
export interface JsonContentBlock {
  readonly kind: "json";
  readonly value: unknown;
  /**
   * `value` is an MCP content block (image, audio, resource …) and goes out again as that block.
   * Only this mark decides: JSON that merely looks like a block stays JSON.
   */
  readonly mcp?: true;
}

/** One piece of a tool's answer. The tag is `kind`; `type` is MCP's word and appears only at the wire. */
export type ToolContentBlock = TextContentBlock | JsonContentBlock;
