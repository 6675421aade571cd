import type { ToolContentBlock } from "../llm/index.ts";
import type { ToolResult } from "./contract/index.ts";

/** A text answer. */
export function textResult(text: string): ToolResult {
  return { content: [{ kind: "text", text }] };
}

/** A failure. The text should name the thing that failed and what to do. */
export function failureResult(text: string): ToolResult {
  return { content: [{ kind: "text", text }], isError: true };
}

/** A JSON answer. */
export function jsonResult(value: unknown): ToolResult {
  return { content: [{ kind: "json", value }] };
}

/** A block that MCP clients receive as exactly this MCP content block. */
export function mcpBlock(value: {
  readonly type: string;
  readonly [member: string]: unknown;
}): ToolContentBlock {
  return { kind: "json", value, mcp: true };
}

/** The text of a block, including an MCP text block with more members, such as annotations. `undefined` for other blocks. */
export function blockText(block: ToolContentBlock): string | undefined {
  if (block.kind === "text") return block.text;
  if (!block.mcp) return undefined;
  const { type, text } = block.value as { readonly type?: unknown; readonly text?: unknown };
  return type === "text" && typeof text === "string" ? text : undefined;
}
