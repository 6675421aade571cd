import type { ToolContentBlock } from "indusagi/llm";
import type { ToolResult } from "indusagi/runtime";
import { showJson } from "../json.ts";
import type { ContentView } from "./content-view.ts";
import { showMcpBlock } from "./mcp-block.ts";

/** The answer of a mounted tool: its blocks, and its structured content if no block is a text, which says the same for people. */
export function showAnswer({ content, structured }: ToolResult, view: ContentView): string {
  const blocks = content.map((block) => showMcpBlock(mcpForm(block), view));
  const parts = structured === undefined || content.some(isText) ? blocks : [...blocks, showJson(structured)];
  const text = parts.join("\n").trimEnd();
  return text === "" ? "" : `${text}\n`;
}

function mcpForm(block: ToolContentBlock): unknown {
  return block.kind === "text" ? { type: "text", text: block.text } : block.value;
}

function isText(block: ToolContentBlock): boolean {
  return block.kind === "text" && block.text.trim() !== "";
}
