import { escapeForDisplay } from "indusagi/core";
import { displayWidth, joinerPositions } from "../../../screen/internal.ts";
import type { AreaCursor } from "../../../screen/terminal/index.ts";
import type { Draft } from "./draft.ts";

/** A prompt as lines that fit the screen, and the cursor in them. */
export interface DrawnDraft {
  readonly lines: readonly string[];
  readonly cursor: AreaCursor;
}

export interface DrawOptions {
  /** The start of the first line. The others are indented to match. */
  readonly mark: string;
  readonly width: number;
  /** Of more lines, only those around the cursor are shown. */
  readonly maxLines: number;
}

const TAB = "  ";

/** Wraps the text at the screen width. The last column stays free for the cursor. */
export function drawDraft({ text, cursor }: Draft, { mark, width, maxLines }: DrawOptions): DrawnDraft {
  const indent = " ".repeat(mark.length);
  const lines: string[] = [];
  let line = mark;
  let column = mark.length;
  let at: AreaCursor = { line: 0, column };
  const newLine = (): void => {
    lines.push(line);
    line = indent;
    column = indent.length;
  };
  const joiners = joinerPositions(text);
  let position = 0;
  for (const char of text) {
    const shown = joiners.has(position) ? "" : shownChar(char);
    const needed = displayWidth(shown);
    if (char !== "\n" && column + needed > width - 1 && column > indent.length) newLine();
    if (position === cursor) at = { line: lines.length, column };
    position += char.length;
    if (char === "\n") newLine();
    else {
      line += shown;
      column += needed;
    }
  }
  if (position === cursor) at = { line: lines.length, column };
  return visiblePart([...lines, line], at, maxLines);
}

function shownChar(char: string): string {
  return char === "\t" ? TAB : escapeForDisplay(char, { keepNewlines: true });
}

function visiblePart(lines: readonly string[], cursor: AreaCursor, maxLines: number): DrawnDraft {
  if (lines.length <= maxLines) return { lines, cursor };
  const start = Math.min(Math.max(0, cursor.line - maxLines + 1), lines.length - maxLines);
  const shown = lines.slice(start, start + maxLines);
  const marked = (line: string, mark: string): string => line.replace(/^ {2}/, `${mark} `);
  return {
    // Arrows in the indentation show that there is more above or below.
    lines: shown.map((line, at) => {
      if (at === 0 && start > 0) return marked(line, "↑");
      return at === maxLines - 1 && start + maxLines < lines.length ? marked(line, "↓") : line;
    }),
    cursor: { ...cursor, line: cursor.line - start },
  };
}
