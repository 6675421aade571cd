import { displayWidth } from "../internal.ts";
import type { Terminal } from "./terminal.ts";

/** A position in the area: line and column, both from 0. */
export interface AreaCursor {
  readonly line: number;
  readonly column: number;
}

/** The last lines of a screen, which are redrawn. */
export interface LiveArea {
  /** Replaces the text. The cursor goes below it, or to `cursor`. An empty text removes the area. */
  show(text: string, cursor?: AreaCursor): void;
  /** Writes lines above the area. They stay. */
  print(text: string): void;
}

/** Moves to the first column, `rows` lines up, and clears from there. */
const back = (rows: number): string => `\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`;

/** An area on the screen behind `out`. Lines beyond its height are left out, because they could not be redrawn. */
export function liveArea(terminal: Pick<Terminal, "out" | "outLook">): LiveArea {
  let shown: readonly string[] = [];
  let cursor: AreaCursor | undefined;

  /** How far the cursor is below the top. The terminal rewraps old lines when its width changes. */
  const height = (width: number): number => {
    if (!cursor) return rowsOf(shown, width);
    return rowsOf(shown.slice(0, cursor.line), width) + Math.floor(cursor.column / width);
  };
  const drawn = (width: number): string => {
    const below = cursor ? rowsOf(shown, width) - height(width) : 0;
    const up = below > 0 ? `\u001b[${below}A` : "";
    const right = cursor && cursor.column > 0 ? `\u001b[${cursor.column % width}C` : "";
    return shown.length === 0 ? "" : `${shown.join("\n")}\n${up}${right}`;
  };
  return {
    show: (text, at) => {
      const { width = 80, height: screenRows = 24 } = terminal.outLook ?? {};
      const clear = back(height(width));
      const lines = text === "" ? [] : text.trimEnd().split("\n");
      const fits = linesThatFit(lines, width, screenRows - 1);
      const rest = lines.length - fits.length;
      shown = rest > 0 ? [...fits.slice(0, -1), `… ${rest + 1} more lines`] : fits;
      cursor = at && at.line < shown.length ? at : undefined;
      terminal.out(`${clear}${drawn(width)}`);
    },
    print: (text) => {
      const { width = 80 } = terminal.outLook ?? {};
      terminal.out(`${back(height(width))}${text.endsWith("\n") ? text : `${text}\n`}${drawn(width)}`);
    },
  };
}

function linesThatFit(lines: readonly string[], width: number, maxRows: number): readonly string[] {
  let rows = 0;
  const end = lines.findIndex((line) => {
    rows += rowsOf([line], width);
    return rows > maxRows;
  });
  return end === -1 ? lines : lines.slice(0, Math.max(1, end));
}

/** How many screen rows the lines need. */
function rowsOf(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / width)), 0);
}
