import type { ToolContentBlock } from "../../llm/index.ts";
import type { MCPContentBlock } from "../contract/index.ts";

/** The kernel's blocks as MCP's. Only a block that is marked as MCP's goes out as it is; other data goes out as JSON text. */
export function toMcpContent(content: readonly ToolContentBlock[]): MCPContentBlock[] {
  return content.map((block) => {
    if (block.kind === "text") return { type: "text", text: block.text };
    // The mark is the promise that the value is a block.
    if (block.mcp) return block.value as MCPContentBlock;
    return { type: "text", text: jsonText(block.value) };
  });
}

/** MCP's blocks as the kernel's. Plain text becomes text; every other block is kept whole and marked. */
export function fromMcpContent(content: readonly MCPContentBlock[]): ToolContentBlock[] {
  return content.map((block) => {
    // Whoever made the list may have put anything into it; what has no type is no block, only data.
    if (typeof (block as MCPContentBlock | null)?.type !== "string") return { kind: "json", value: block };
    const isPlain =
      block.type === "text" && typeof block.text === "string" && Object.keys(block).length === 2;
    return isPlain ? { kind: "text", text: block.text } : { kind: "json", value: block, mcp: true };
  });
}

/** Any value as JSON; what JSON cannot hold, as a word that says so. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "[a value that is no JSON]";
  }
}
