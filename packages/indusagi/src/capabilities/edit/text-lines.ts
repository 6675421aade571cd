/** A line of a text: its start, its end without the line ending, and the start of the next line. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/**
 * The first `max` lines of a text, with any kind of line ending.
 * A text that ends with a line ending has no empty line after it.
 */
export function textLines(text: string, max: number = Number.POSITIVE_INFINITY): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    if (lines.length >= max) return lines;
    const next = match.index + match[0].length;
    lines.push({ start, end: match.index, next });
    start = next;
  }
  if (start < text.length && lines.length < max) lines.push({ start, end: text.length, next: text.length });
  return lines;
}

/** The line numbers of ascending indexes. Counts line feeds, as `read` does. */
export function lineNumbersAt(text: string, places: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return places.map((place) => {
    for (let at = text.indexOf("\n", from); at !== -1 && at < place; at = text.indexOf("\n", from)) {
      line++;
      from = at + 1;
    }
    return line;
  });
}
