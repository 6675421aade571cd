/** A line of a text: where it starts, where its words end, and where the next line starts. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** The lines of a text with their places, whatever their endings. A text that ends with a line ending has no empty line after it. */
export function textLines(text: string): TextLine[] {
  const lines: TextLine[] = [];
  let start = 0;
  for (const match of text.matchAll(/\r\n|\n|\r/g)) {
    const next = match.index + match[0].length;
    lines.push({ start, end: match.index, next });
    start = next;
  }
  if (start < text.length) lines.push({ start, end: text.length, next: text.length });
  return lines;
}
