import { escapeForDisplay } from "indusagi/core";
import { type Look, paint, type Style } from "./colour.ts";
import { splitWidth } from "./text/display-width.ts";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;
const FILE_HEADER = /^(---|\+\+\+) /;

/** Colours the unified diffs in a text. Lines outside a diff stay as they are. */
export function paintDiffs(text: string): string {
  let isInHunk = false;
  const lines = text.split("\n");
  const painted = lines.map((line, index) => {
    if (HUNK.test(line)) {
      isInHunk = true;
      return paint("cyan", line);
    }
    // A file header is followed by the other header or a hunk; a line of dashes in a text is not one.
    if (FILE_HEADER.test(line) && lines.slice(index + 1, index + 3).some((next) => HUNK.test(next))) {
      isInHunk = false;
      return paint("bold", line);
    }
    isInHunk &&= /^[ +\-\\]/.test(line);
    if (!isInHunk) return line;
    if (line.startsWith("+")) return paint("green", line);
    return line.startsWith("-") ? paint("red", line) : line;
  });
  return painted.join("\n");
}

const STYLES: { readonly [sign: string]: Style } = { "+": "green", "-": "red" };
/** Narrower text could not be read. */
const MIN_COLUMNS = 10;

/**
 * A unified diff as lines that fit the screen: each begins with its line number, of the old file for a removed line. The headers
 * are left out, and a mark stands between two hunks. Text outside hunks stays as it is. It must be escaped already.
 */
export function showDiff(diff: string, { hasColours = false, width = Infinity }: Look): readonly string[] {
  const rows = numberedRows(diff.trimEnd().split("\n"));
  const digits = Math.max(1, ...rows.map(({ number }) => String(number ?? "").length));
  const columns = Math.max(MIN_COLUMNS, width - digits - 2);
  return rows.flatMap(({ number, sign, text }) => {
    if (sign === undefined) return splitWidth(text, Math.max(MIN_COLUMNS, width));
    const style = STYLES[sign];
    return splitWidth(text, columns).map((piece, at) => {
      const gutter = (at === 0 ? String(number ?? "") : "").padStart(digits);
      const line = `${at === 0 ? sign : " "}${piece}`;
      if (!hasColours) return `${gutter} ${line}`.trimEnd();
      return `${paint("dim", gutter)} ${style ? paint(style, line) : line}`;
    });
  });
}

interface Row {
  readonly number?: number;
  /** Absent: the line is not part of a hunk. */
  readonly sign?: string;
  readonly text: string;
}

/** Counts the lines of each hunk: a removed line may look like a header. */
function numberedRows(lines: readonly string[]): readonly Row[] {
  const rows: Row[] = [];
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0];
  for (const line of lines) {
    const sign = line.charAt(0) || " ";
    const isInHunk = oldLeft + newLeft > 0 && "+- ".includes(sign);
    const hunk = isInHunk ? null : HUNK.exec(line);
    if (hunk) {
      if (rows.some((row) => row.sign !== undefined)) rows.push({ text: "⋮" });
      const [, oldStart, oldCount = "1", newStart, newCount = "1"] = hunk;
      [oldLine, oldLeft, newLine, newLeft] = [oldStart, oldCount, newStart, newCount].map(Number) as Four;
    } else if (isInHunk) {
      rows.push({ number: sign === "-" ? oldLine : newLine, sign, text: line.slice(1) });
      if (sign !== "+") [oldLine, oldLeft] = [oldLine + 1, oldLeft - 1];
      if (sign !== "-") [newLine, newLeft] = [newLine + 1, newLeft - 1];
    } else if (!FILE_HEADER.test(line)) rows.push({ text: line });
  }
  return rows;
}

type Four = [number, number, number, number];

/** One line of text from outside, safe to show. */
export function showLine(text: string): string {
  return `${escapeForDisplay(text)}\n`;
}

/** Lines with `- ` and `+ ` in front, indented, safe to show, and coloured where the terminal has colours. */
export function showDifference(difference: string, look: Look = {}): string {
  return difference
    .split("\n")
    .map((line) => `  ${painted(escapeForDisplay(line), look)}\n`)
    .join("");
}

function painted(line: string, { hasColours = false }: Look): string {
  if (!hasColours) return line;
  if (line.startsWith("+ ")) return paint("green", line);
  return line.startsWith("- ") ? paint("red", line) : line;
}
