/** A line of a text: where it starts, where its words end, and where the next line starts. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/**
 * The lines of a text with their places, whatever their endings, the first `most` of them.
 * A text that ends with a line ending has no empty line after it.
 */
export function textLines(text: string, most: number = Number.POSITIVE_INFINITY): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    if (lines.length >= most) return lines;
    const next = match.index + match[0].length;
    lines.push({ start, end: match.index, next });
    start = next;
  }
  if (start < text.length && lines.length < most) lines.push({ start, end: text.length, next: text.length });
  return lines;
}

/** The numbers of the lines that hold the given places, in ascending order, as `read` counts them: by line feeds. */
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
