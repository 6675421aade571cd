import type { ToolContentBlock } from "../../llm/index.ts";

/** An MCP content block. Only `type` is certain: servers send block types and members that are newer than this code. */
export interface McpBlock {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * MCP content as our blocks. A text block with no other member becomes text. Any other block is kept whole and marked
 * `mcp`, so that annotations, `_meta` and unknown members survive. A value without a `type` is data, not a block.
 * Content that is not an array counts as empty.
 */
export function fromMcpContent(content: unknown): ToolContentBlock[] {
  return Array.isArray(content) ? content.map(fromMcpBlock) : [];
}

/**
 * Our blocks as MCP content: the inverse of `fromMcpContent`. Only the mark `mcp` makes a json block an MCP block
 * again; other data becomes text, written by `writeJson`.
 */
export function toMcpContent(
  content: readonly ToolContentBlock[],
  writeJson: (value: unknown) => string = jsonText,
): McpBlock[] {
  return content.map((block) => {
    if (block.kind === "text") return { type: "text", text: block.text };
    // The mark promises that the value is a block.
    if (block.mcp) return block.value as McpBlock;
    return { type: "text", text: writeJson(block.value) };
  });
}

/** Any value as JSON text. Never throws: for a value that JSON cannot hold, the text says so. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "[value cannot be written as JSON]";
  }
}

function fromMcpBlock(block: unknown): ToolContentBlock {
  if (!isMcpBlock(block)) return { kind: "json", value: block };
  const { type, text } = block;
  const isPlainText = type === "text" && typeof text === "string" && Object.keys(block).length === 2;
  return isPlainText ? { kind: "text", text } : { kind: "json", value: block, mcp: true };
}

function isMcpBlock(value: unknown): value is McpBlock {
  return typeof value === "object" && value !== null && typeof (value as McpBlock).type === "string";
}
