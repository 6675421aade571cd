import { escapeForDisplay, shortenText, showName, textTable } from "indusagi/core";
import { type Look, paint, type Style } from "./colour.ts";
import { wrapText } from "./wrapped.ts";

interface TableOptions extends Look {
  /** The style of a cell, for a terminal that has colours. The header is bold. */
  readonly styleOf?: (cell: string, column: number) => Style | undefined;
}

/** A narrower last column moves to separate lines. */
const MIN_WRAP_CHARS = 20;

/**
 * Rows as aligned columns; the first row is the header. The last column is wrapped to the width; if there is no room, it
 * follows each row on separate lines. Other cells are cut with an ellipsis if they do not fit or are longer than a name.
 */
export function showTable(given: readonly (readonly string[])[], options: TableOptions): string {
  const last = Math.max(...given.map((row) => row.length)) - 1;
  const rows = given.map((row) => row.map((cell, column) => (column < last ? showName(cell) : cell)));
  const natural = Array.from({ length: last }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const width = options.width ?? Infinity;
  const room = width - natural.reduce((sum, each) => sum + each + 2, 0);
  if (room < MIN_WRAP_CHARS && last > 0) return stacked(rows, { natural, width, options });
  const lines = rows.flatMap((row) => {
    const [first = "", ...more] = wrapText(row[last] ?? "", room);
    return [[...row.slice(0, last), first], ...more.map((line) => [...natural.map(() => ""), line])];
  });
  return paintLines(lines, natural, options).join("");
}

interface Stacked {
  readonly natural: readonly number[];
  readonly width: number;
  readonly options: TableOptions;
}

/** Each row without its last cell, which follows below unless it is empty. */
function stacked(rows: readonly (readonly string[])[], { natural, width, options }: Stacked): string {
  const last = natural.length;
  const widths = fitWidths(natural, width);
  const cells = rows.map((row) =>
    row.slice(0, last).map((cell, column) => shortenText(cell, widths[column] ?? 0)),
  );
  const lines = paintLines(cells, widths, options);
  return lines
    .map((line, index) => {
      const note = rows[index]?.[last] ?? "";
      if (index === 0 || note === "" || note === "-") return line;
      return (
        line +
        wrapText(note, width - 4)
          .map((part) => `    ${part}\n`)
          .join("")
      );
    })
    .join("");
}

/** No column becomes narrower than this. */
const MIN_COLUMN_CHARS = 6;

/** The widths of columns, two apart, with the widest made narrower until they fit. */
function fitWidths(natural: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + 2 * (widths.length - 1);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_COLUMN_CHARS) return widths;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** The rows as lines, coloured where the terminal has colours. */
function paintLines(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  options: TableOptions,
): string[] {
  const shown = textTable(rows).split("\n");
  if (!options.hasColours) return shown.map((line) => `${line.trimEnd()}\n`);
  return shown.map((line, index) =>
    index === 0
      ? `${paint("bold", line.trimEnd())}\n`
      : `${paintCells(line.trimEnd(), { cells: rows[index] ?? [], widths, options })}\n`,
  );
}

interface PaintedCells {
  readonly cells: readonly string[];
  readonly widths: readonly number[];
  readonly options: TableOptions;
}

/** Colours are added after alignment, because colour codes have no width on a screen. */
function paintCells(line: string, { cells, widths, options }: PaintedCells): string {
  let painted = "";
  let position = 0;
  for (const [column, cell] of cells.entries()) {
    const style = cell === "" ? undefined : options.styleOf?.(cell, column);
    painted += style === undefined ? cell : paint(style, cell);
    const next = column < widths.length ? position + (widths[column] ?? 0) + 2 : line.length;
    painted += line.slice(position + cell.length, next);
    position = next;
  }
  return painted;
}

/** Something to copy, such as a name or a URI, with a short description. */
export interface ListLine {
  readonly key: string;
  readonly about: string;
}

/** Longer keys and descriptions are cut even if the width is unknown. Most URIs are shorter. */
const MAX_CHARS = 256;
/** Longer keys do not widen the column. */
const MAX_KEY_CHARS = 48;
/** With less room, descriptions are left out. */
const MIN_ABOUT_CHARS = 4;

/**
 * One line each, in two columns. Descriptions are cut at the width. A key is cut only if it is very long: it is there to be
 * copied.
 */
export function showLines(lines: readonly ListLine[], { width = Infinity, hasColours }: Look = {}): string {
  const keys = lines.map(({ key }) => shortenText(escapeForDisplay(key), MAX_CHARS));
  const column = Math.max(0, ...keys.map(({ length }) => length).filter((length) => length <= MAX_KEY_CHARS));
  return lines
    .map(({ about }, index) => {
      const key = keys[index] ?? "";
      const padding = " ".repeat(Math.max(0, column - key.length) + 2);
      const room = Math.min(MAX_CHARS, width - key.length - padding.length);
      const words = room < MIN_ABOUT_CHARS ? "" : shortenText(escapeForDisplay(about), room);
      return `${hasColours ? paint("bold", key) : key}${words === "" ? "" : padding + words}\n`;
    })
    .join("");
}
