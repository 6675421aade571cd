import { textTable } from "indusagi/core";
import { type Look, paint, type Style } from "./colour.ts";
import { wrapText } from "./wrapped.ts";

export interface TableOptions extends Look {
  /** The style of a cell, for a terminal that has colours. The header is bold. */
  readonly styleOf?: (cell: string, column: number) => Style | undefined;
}

/** A narrower last column would be harder to read than a line that the terminal breaks. */
const MIN_WRAP_CHARS = 20;

/** Rows as aligned columns, the first one as header. The last column is wrapped to the width. */
export function showTable(rows: readonly (readonly string[])[], options: TableOptions): string {
  const last = Math.max(...rows.map((row) => row.length)) - 1;
  const widths = Array.from({ length: last }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const room = (options.width ?? Infinity) - widths.reduce((sum, width) => sum + width + 2, 0);
  const lines = rows.flatMap((row) => {
    const [first = "", ...more] = room < MIN_WRAP_CHARS ? [row[last] ?? ""] : wrapText(row[last] ?? "", room);
    return [[...row.slice(0, last), first], ...more.map((line) => [...widths.map(() => ""), line])];
  });
  const shown = textTable(lines).split("\n");
  if (!options.hasColours) return `${shown.join("\n")}\n`;
  const painted = shown.map((line, index) =>
    index === 0 ? paint("bold", line) : paintCells(line, { cells: lines[index] ?? [], widths, options }),
  );
  return `${painted.join("\n")}\n`;
}

interface PaintedCells {
  readonly cells: readonly string[];
  readonly widths: readonly number[];
  readonly options: TableOptions;
}

/** Colours are added after the alignment, because their codes have no width on a screen. */
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
