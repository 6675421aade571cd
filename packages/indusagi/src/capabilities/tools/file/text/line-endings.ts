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
 * Tells which ending a line put in at a place should have: that of the line it lands in, else of the last line that
 * has one. Decided on the spot, because a file may mix endings and all but the change must stay as it is.
 * Meant to be asked in ascending order: the whole text is then looked through once, however often it is asked.
 */
export function createEndingFinder(text: string): (index: number) => LineEnding | undefined {
  const pattern = new RegExp(ANY_ENDING);
  let known:
    | { readonly from: number; readonly to: number; readonly ending: LineEnding | undefined }
    | undefined;
  return (index) => {
    if (known && known.from <= index && index <= known.to) return known.ending;
    pattern.lastIndex = index;
    const match = pattern.exec(text);
    known = match
      ? { from: index, to: match.index, ending: match[0] as LineEnding }
      : { from: index, to: text.length, ending: lastEnding(text) };
    return known.ending;
  };
}

/** New text in a file's own line endings. Text that brings carriage returns of its own is left as it was written. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  return text.includes("\r") ? text : withOnlyEnding(text, ending);
}

/** New text with every line ending made the file's own. */
export function withOnlyEnding(text: string, ending: LineEnding | undefined): string {
  return ending === undefined ? text : text.replace(ANY_ENDING, ending);
}

function lastEnding(text: string): LineEnding | undefined {
  const at = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
  if (at === -1) return undefined;
  if (text[at] === "\r") return "\r";
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}
