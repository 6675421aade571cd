export type LineEnding = "\n" | "\r\n" | "\r";

const ANY_ENDING = /\r\n|\n|\r/g;

/** The line ending that all lines of a text share; undefined when they differ or there is only one line. */
export function uniformLineEnding(text: string): LineEnding | undefined {
  let shared: string | undefined;
  for (const [ending] of text.matchAll(ANY_ENDING)) {
    if (shared !== undefined && shared !== ending) return undefined;
    shared = ending;
  }
  return shared as LineEnding | undefined;
}

/**
 * Returns a function that finds the line ending for text inserted at an index: that of the line it is inserted in,
 * else of the last line that has one. A file may mix endings, and everything but the change must stay as it is.
 * Call it with ascending indexes: then the text is scanned only once.
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

/** New text with the file's line endings. Text that already contains carriage returns is not changed. */
export function withLineEnding(text: string, ending: LineEnding | undefined): string {
  return text.includes("\r") ? text : withOnlyEnding(text, ending);
}

/** New text with every line ending replaced by the file's. */
export function withOnlyEnding(text: string, ending: LineEnding | undefined): string {
  return ending === undefined ? text : text.replace(ANY_ENDING, ending);
}

function lastEnding(text: string): LineEnding | undefined {
  const at = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
  if (at === -1) return undefined;
  if (text[at] === "\r") return "\r";
  return text[at - 1] === "\r" ? "\r\n" : "\n";
}
