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
