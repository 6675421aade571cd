import { cutText, escapeForDisplay } from "../../../core/index.ts";
import type { ByteText } from "./search-job.ts";
import { readByteText } from "./walk/byte-text.ts";

const MAX_CHARS = 500;

/** A name or path, fit to be shown. */
export function shownName(bytes: ByteText): string {
  return escapeForDisplay(readByteText(bytes));
}

/** A line of a file, fit to be shown: at most 500 characters of it, no character split. */
export function shownLine(bytes: ByteText): string {
  const text = readByteText(bytes);
  if (text.length <= MAX_CHARS) return escapeForDisplay(text);
  return `${escapeForDisplay(cutText(text, MAX_CHARS))} [... line cut after ${MAX_CHARS} characters]`;
}

/** What was asked for, quoted and fit to be shown. */
export function quoted(text: string): string {
  return `"${escapeForDisplay(text)}"`;
}
