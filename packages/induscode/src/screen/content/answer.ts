import { isDeepStrictEqual } from "node:util";
import type { ToolContentBlock } from "indusagi/llm";
import type { ToolResult } from "indusagi/runtime";
import { showJson } from "../json.ts";
import type { ContentView } from "./content-view.ts";
import { showMcpBlock } from "./mcp-block.ts";

/** The answer of a server's tool: its blocks, and its structured content unless a block repeats it. */
export function showAnswer({ content, structured }: ToolResult, view: ContentView): string {
  const blocks = content.map((block) => showMcpBlock(mcpForm(block), view));
  const isRepeated = structured === undefined || content.some((block) => isSame(block, structured));
  const parts = isRepeated ? blocks : [...blocks, showJson(structured)];
  const text = parts.join("\n").trimEnd();
  return text === "" ? "" : `${text}\n`;
}

function mcpForm(block: ToolContentBlock): unknown {
  return block.kind === "text" ? { type: "text", text: block.text } : block.value;
}

/** Many servers also send structured content as JSON text, for older clients. */
function isSame(block: ToolContentBlock, structured: unknown): boolean {
  const { text } = mcpForm(block) as { readonly text?: unknown };
  if (typeof text !== "string" || !/^\s*[[{"\d-]/.test(text)) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}
