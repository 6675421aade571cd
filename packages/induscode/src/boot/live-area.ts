import type { Terminal } from "./terminal.ts";

/** The last lines of a screen, which are written again and again. */
export interface LiveArea {
  /** Replaces what was shown. The cursor is below it. */
  show(text: string): void;
}

/** Moves to the first column, `rows` lines up, and clears from there. */
const back = (rows: number): string => `\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`;

/** An area on the screen that `out` is. What does not fit its height is left out, because it could not be replaced. */
export function liveArea(terminal: Pick<Terminal, "out" | "outLook">): LiveArea {
  let shown = "";
  return {
    show: (text) => {
      const { width = 80, height = 24 } = terminal.outLook ?? {};
      const lines = text.trimEnd().split("\n");
      const fits = linesThatFit(lines, width, height - 1);
      const rest = lines.length - fits.length;
      const next = rest > 0 ? [...fits.slice(0, -1), `… ${rest + 1} more lines`] : fits;
      // The terminal breaks old lines anew when its width changes, so the old text is measured with the new width.
      const up = shown === "" ? 0 : rowsOf(shown.split("\n"), width);
      shown = next.join("\n");
      terminal.out(`${back(up)}${shown}\n`);
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

/** The rows of a screen that the lines need. Codes of colours have no width. */
function rowsOf(lines: readonly string[], width: number): number {
  const lengths = lines.map((line) => line.replaceAll(/\u001b\[\d+m/g, "").length);
  return lengths.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / width)), 0);
}
