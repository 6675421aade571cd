import { lineNumbersAt, textLines } from "./text-lines.ts";

/** The place in a file that is most similar to a text that is not in it. */
export interface ClosestText {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

const MAX_LINES_COMPARED = 20_000;
const MAX_LINE_CHARS = 300;
const SHOWN_LINES = 8;

/** Compares each line with the longest line of the wanted text. Returns undefined if no line is at least half equal. */
export async function closestText(text: string, wanted: string): Promise<ClosestText | undefined> {
  const wantedLines = textLines(wanted, MAX_LINES_COMPARED).map((line) =>
    wanted.slice(line.start, line.end).trim(),
  );
  const anchor = indexOfLongest(wantedLines);
  const target = (wantedLines[anchor] ?? "").slice(0, MAX_LINE_CHARS);
  if (target.length < 3) return undefined;

  const lines = textLines(text, MAX_LINES_COMPARED);
  const candidates = lines.map((line) =>
    text.slice(line.start, Math.min(line.end, line.start + MAX_LINE_CHARS)).trim(),
  );
  const closest = await indexOfClosest(target, candidates);
  if (closest === undefined) return undefined;

  const from = Math.max(0, closest - anchor);
  const shown = lines.slice(from, from + Math.min(SHOWN_LINES, wantedLines.length));
  const [line = 1] = lineNumbersAt(text, [lines[from]?.start ?? 0]);
  return {
    line,
    text: shown.map(({ start, end }) => text.slice(start, Math.min(end, start + MAX_LINE_CHARS))).join("\n"),
  };
}

function indexOfLongest(lines: readonly string[]): number {
  return lines.reduce((best, line, index) => (line.length > (lines[best]?.length ?? 0) ? index : best), 0);
}

async function indexOfClosest(target: string, candidates: readonly string[]): Promise<number | undefined> {
  const { distance } = await import("fastest-levenshtein");
  let closest: number | undefined;
  let limit = target.length / 2;
  for (const [index, candidate] of candidates.entries()) {
    if (Math.abs(candidate.length - target.length) >= limit) continue; // Cannot be closer: skip the expensive comparison.
    const edits = distance(target, candidate);
    if (edits >= limit) continue;
    closest = index;
    limit = edits;
  }
  return closest;
}
