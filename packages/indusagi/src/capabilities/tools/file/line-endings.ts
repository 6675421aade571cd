export type LineEnding = "\n" | "\r\n" | "\r";

const ANY_ENDING = /\r\n|\n|\r/g;

/** The ending all lines of a text share, or nothing when they differ or there is only one line. */
export function uniformLineEnding(text: string): LineEnding | undefined {
  let shared: string | undefined;
  for (const [ending] of text.matchAll(ANY_ENDING)) {
    if (shared !== undefined && shared !== ending) return undefined;
    shared = ending;
  }
  return shared as LineEnding | undefined;
}

/**
 * The ending a line inserted at `index` should have: that of the line it lands in, else of the line before.
 * Decided on the spot, because a file may mix endings and all but the change must stay as it is.
 */
export function lineEndingAt(text: string, index: number): LineEnding | undefined {
  const after = /\r\n|\n|\r/.exec(text.slice(index, index + 100_000));
  if (after) return after[0] as LineEnding;
  const before = text.slice(Math.max(0, index - 100_000), index).match(ANY_ENDING);
  return before?.at(-1) as LineEnding | undefined;
}

/** New text in a file's own line endings. Text that brings carriage returns of its own is left as it was written. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  if (ending === undefined || ending === "\n" || text.includes("\r")) return text;
  return text.replaceAll("\n", ending);
}
