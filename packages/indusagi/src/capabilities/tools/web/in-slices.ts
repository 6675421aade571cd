import { nextTurn } from "../../../core/internal.ts";

/** UTF-16 units handled in one go: about a millisecond of work. */
const SLICE = 64 * 1024;

/**
 * Applies a function to a long text slice by slice, with other work in between. A slice never ends inside a character
 * or between a carriage return and what follows it.
 */
export async function inSlices(text: string, change: (slice: string) => string): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = at + SLICE;
    while (end < text.length && /[\r\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    parts.push(change(text.slice(at, end)));
    at = end;
    if (at < text.length) await nextTurn();
  }
  return parts.join("");
}
