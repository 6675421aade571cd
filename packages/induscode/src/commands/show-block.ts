import type { ToolContentBlock } from "indusagi/llm";
import { blockText } from "indusagi/runtime";

/** A block of an answer as a person reads it: text as text, anything else as JSON. */
export function showBlock(block: ToolContentBlock): string {
  return block.kind === "text" ? block.text : (blockText(block) ?? JSON.stringify(block.value, undefined, 2));
}
