import { distance } from "fastest-levenshtein";
import { textLines } from "./text-lines.ts";

/** Where a file comes closest to a text that is not in it. */
export interface ClosestText {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

const MAX_LINES_COMPARED = 20_000;
const MAX_LINE_CHARS = 300;
const SHOWN_LINES = 8;

/** The place whose line is most like the longest line of the wanted text; nothing when no line is half like it. */
export function closestText(text: string, wanted: string): ClosestText | undefined {
  const wantedLines = textLines(wanted).map((line) => wanted.slice(line.start, line.end));
  const anchor = wantedLines.reduce((best, line, index) => (size(line) > size(wantedLines[best]) ? index : best), 0);
  const target = (wantedLines[anchor] ?? "").trim().slice(0, MAX_LINE_CHARS);
  if (target.length < 3) return undefined;

  const lines = textLines(text).slice(0, MAX_LINES_COMPARED);
  let best: { readonly index: number; readonly edits: number } | undefined;
  for (const [index, line] of lines.entries()) {
    const candidate = text.slice(line.start, Math.min(line.end, line.start + MAX_LINE_CHARS)).trim();
    const limit = best ? best.edits : target.length / 2;
    if (Math.abs(candidate.length - target.length) >= limit) continue; // Cannot be closer: spare the comparison.
    const edits = distance(target, candidate);
    if (edits < limit) best = { index, edits };
  }
  if (!best) return undefined;
  const from = Math.max(0, best.index - anchor);
  const shown = lines.slice(from, from + Math.min(SHOWN_LINES, Math.max(1, wantedLines.length)));
  return { line: from + 1, text: shown.map((line) => text.slice(line.start, line.end).slice(0, MAX_LINE_CHARS)).join("\n") };
}

function size(line: string | undefined): number {
  return line?.trim().length ?? 0;
}
