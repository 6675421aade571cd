import { escapeForDisplay } from "indusagi/core";
import type { ToolContentBlock } from "indusagi/llm";
import { blockText, type ToolOutcome } from "indusagi/runtime";
import { showJson } from "./json.ts";

/** The text of an outcome: text blocks as text, other blocks as JSON, and structured content if there are no blocks. */
export function showOutcome({ result }: ToolOutcome): string {
  if (result.content.length > 0) return `${result.content.map(showBlock).join("\n")}\n`;
  return result.structured === undefined ? "" : showJson(result.structured);
}

/** The whole outcome as JSON: the server's own result if there is one. */
export function showOutcomeJson({ result, isError, fault, wire }: ToolOutcome): string {
  return showJson(wire?.value() ?? { isError, ...result, fault });
}

/** A text for a terminal, in which no control character can move the cursor. */
export function onScreen(text: string): string {
  return escapeForDisplay(text, { keepNewlines: true });
}

function showBlock(block: ToolContentBlock): string {
  return block.kind === "text" ? block.text : (blockText(block) ?? JSON.stringify(block.value, undefined, 2));
}
