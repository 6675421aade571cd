import { charWidth, displayWidth, stripColours } from "./display-width.ts";

/** A colour code, or one character. */
const UNITS = /\u001b\[[\d;]*m|[\s\S]/gu;
/** The prefix of continuation lines of a list item or quotation. */
const HANGING = /^(\s*)(?:(•|\d{1,3}[.)]) |(│ )|)/;
/** Narrower text would be harder to read than a line wrapped by the terminal. */
const MIN_COLUMNS = 20;

/**
 * Wraps one line to a width, between words. A word is broken only if it is longer than a line. Colour codes take no columns;
 * a colour continues across a break.
 */
export function foldLine(line: string, columns: number): readonly string[] {
  const width = Math.max(MIN_COLUMNS, columns);
  if (displayWidth(line) <= width) return [line];
  const [, spaces = "", mark, bar = ""] = HANGING.exec(stripColours(line)) ?? [];
  const hanging = bar === "" ? " ".repeat(spaces.length + (mark === undefined ? 0 : mark.length + 1)) : bar;
  // Very deep indentation would leave no room for words.
  const indent = hanging.length <= width / 2 ? hanging : "";
  return foldWords(line, width, indent);
}

function foldWords(line: string, width: number, indent: string): readonly string[] {
  const lines: string[] = [];
  let current = "";
  let used = 0;
  const flush = (): void => {
    lines.push(current.trimEnd());
    current = indent;
    used = displayWidth(indent);
  };
  // Spaces stay with the word before them, so only those at a break disappear.
  for (const word of line.match(/^\s+|\S+\s*/g) ?? []) {
    const needed = displayWidth(word.trimEnd());
    if (used + needed > width && used > displayWidth(indent)) flush();
    if (used + needed > width) {
      for (const unit of word.match(UNITS) ?? []) {
        const columns = unit.length > 1 && unit.startsWith("\u001b") ? 0 : charWidth(unit);
        if (used + columns > width) flush();
        current += unit;
        used += columns;
      }
      continue;
    }
    current += word;
    used += displayWidth(word);
  }
  if (current.trim() !== "" || lines.length === 0) lines.push(current.trimEnd());
  return lines;
}
