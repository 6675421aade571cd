import { cutText, escapeForDisplay } from "../../core/index.ts";
import type { ByteText } from "./search-job.ts";
import { readByteText } from "./walk/byte-text.ts";

const MAX_CHARS = 500;

/** Escapes a name or path for display. */
export function shownName(bytes: ByteText): string {
  return escapeForDisplay(readByteText(bytes));
}

/** Escapes a line for display and cuts it to 500 characters without splitting one. */
export function shownLine(bytes: ByteText): string {
  const text = readByteText(bytes);
  if (text.length <= MAX_CHARS) return escapeForDisplay(text);
  return `${escapeForDisplay(cutText(text, MAX_CHARS))} [... line cut after ${MAX_CHARS} characters]`;
}

/** Quotes and escapes a pattern for display. */
export function quotedPattern(text: string): string {
  return `"${escapeForDisplay(text)}"`;
}

/** How many of the lines fit into `maxBytes` of UTF-8, with their line feeds. */
export function fitLines(lines: readonly string[], maxBytes: number): number {
  let used = 0;
  let count = 0;
  for (const line of lines) {
    used += Buffer.byteLength(line) + 1;
    if (used > maxBytes) break;
    count++;
  }
  return count;
}

/** Formats a number: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
