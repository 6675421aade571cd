import type { MCPToolCallResult } from "indusagi/mcp";

/** The text of an answer's first block. */
export function textOf({ content }: MCPToolCallResult): string {
  return (content[0] as { readonly text: string }).text;
}
