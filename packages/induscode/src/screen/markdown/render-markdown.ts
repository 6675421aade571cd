import type { Look } from "../colour.ts";
import { markdownStream } from "./markdown-stream.ts";

/**
 * Markdown as plain text for a terminal: without its marks, headings and bold text bold, tables aligned. Lines are not
 * filled again. The text must be safe to show already.
 */
export function renderMarkdown(text: string, look: Look): string {
  const stream = markdownStream(look);
  return [...stream.push(text), ...stream.end()].join("\n");
}
