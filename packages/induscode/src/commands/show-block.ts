import type { ToolContentBlock } from "indusagi/llm";

/** A block of an answer as a person reads it: text as text, anything else as JSON. */
export function showBlock(block: ToolContentBlock): string {
  return block.kind === "text" ? block.text : JSON.stringify(block.value, undefined, 2);
}
