import { type Look, paint } from "../colour.ts";
import { displayWidth } from "../text/display-width.ts";
import { foldLine } from "../text/fold-line.ts";
import { renderInline } from "./inline-marks.ts";

const GAP = "  ";
/** A narrower last column is hard to read. */
const MIN_LAST_COLUMNS = 20;

/**
 * A table without its marks, aligned. If it is wider than the screen, its last column is wrapped; without room for that, each
 * cell has a line with the heading of its column. Nothing is cut. `lines`: the header and the rows, without the divider.
 */
export function tableLines(lines: readonly string[], look: Look): readonly string[] {
  const rows = lines.map(cellsOf);
  const count = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const widths = Array.from({ length: count }, (_, column) =>
    rows.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? "")), 0),
  );
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + GAP.length, 0);
  // The last column of the screen stays free.
  const room = (look.width ?? Number.POSITIVE_INFINITY) - 1 - before;
  if (room < Math.min(widths.at(-1) ?? 0, MIN_LAST_COLUMNS)) return cellLines(rows, look);
  const strong = (line: string): string => (look.hasColours ? paint("bold", line) : line);
  return rows.flatMap((row, at) => {
    const start = widths.slice(0, -1).map((width, column) => padded(row[column] ?? "", width) + GAP);
    const [first = "", ...more] = foldLine(row[count - 1] ?? "", room);
    const whole = [start.join("") + first, ...more.map((line) => " ".repeat(before) + line)];
    return whole.map((line) => (at === 0 ? strong(line.trimEnd()) : line.trimEnd()));
  });
}

/** Each row as lines `heading: cell`, with an empty line between rows. */
function cellLines([header = [], ...rows]: readonly (readonly string[])[], look: Look): readonly string[] {
  const label = (column: number): string => {
    const heading = header[column] ?? "";
    if (heading === "") return "";
    return look.hasColours ? `${paint("bold", heading)}: ` : `${heading}: `;
  };
  const shown = rows.map((row) =>
    row.flatMap((cell, column) => (cell === "" ? [] : [`${label(column)}${cell}`])),
  );
  return shown.flatMap((row, at) => (at === 0 ? row : ["", ...row]));
}

/** Colours would count as width, and a cell may be wrapped: cells are plain. */
function cellsOf(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => renderInline(cell.trim(), {}));
}

function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}
