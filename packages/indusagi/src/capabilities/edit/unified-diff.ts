import { applyChanges, type Change } from "./plan-edit.ts";
import { lineNumbersAt } from "./text-lines.ts";

export interface DiffRequest {
  /** The file name in the header of the diff. */
  readonly path: string;
  readonly text: string;
  /** In order, not overlapping. */
  readonly changes: readonly Change[];
  /** Converts a piece of `text` to a readable form. */
  readonly show: (piece: string) => string;
}

const CONTEXT_LINES = 3;
const MAX_DIFF_BYTES = 16 * 1024;
const NOTICE_BYTES = 80;
/** More changes would not fit into 16 KB anyway. */
const MAX_CHANGES = 200;
/** The time to compare grows with the square of the lines that differ; this many take about 0.1 s. */
const MAX_LINES_DIFFERENT = 1500;
const MAX_COMPARED_CHARS = 1024 * 1024;

/**
 * The changes as a unified diff with three lines of context, at most 16 KB. Only the lines around the changes are
 * compared: comparing a whole large file would take seconds.
 */
export async function unifiedDiff({ path, text, changes, show }: DiffRequest): Promise<string> {
  const { structuredPatch, formatPatch, FILE_HEADERS_ONLY } = await import("diff");
  const options = { context: CONTEXT_LINES, maxEditLength: MAX_LINES_DIFFERENT };
  for (let count = Math.min(changes.length, MAX_CHANGES); count > 0; count >>= 1) {
    const { before, after, linesBefore } = windowAround(text, changes.slice(0, count));
    if (before.length + after.length > MAX_COMPARED_CHARS) continue;
    const patch = structuredPatch(path, path, show(before), show(after), undefined, undefined, options);
    if (!patch) continue;
    for (const hunk of patch.hunks) {
      hunk.oldStart += linesBefore;
      hunk.newStart += linesBefore;
    }
    return cutToLines(formatPatch(patch, FILE_HEADERS_ONLY), changes.length - count);
  }
  return `(the change to ${path} is too large to show as a diff)`;
}

interface DiffWindow {
  readonly before: string;
  readonly after: string;
  /** How many lines come before the window. */
  readonly linesBefore: number;
}

/** The lines that change, with the context lines. */
function windowAround(text: string, changes: readonly Change[]): DiffWindow {
  const start = contextStart(text, changes[0]?.start ?? 0);
  const end = contextEnd(text, changes.at(-1)?.end ?? text.length);
  const [line = 1] = lineNumbersAt(text, [start]);
  return {
    before: text.slice(start, end),
    after: applyChanges(text, changes, { start, end }),
    linesBefore: line - 1,
  };
}

/** The start of the context before an index. */
function contextStart(text: string, place: number): number {
  let at = place;
  for (let lines = 0; lines <= CONTEXT_LINES && at > 0; lines++) at = text.lastIndexOf("\n", at - 1);
  return at <= 0 ? 0 : at + 1;
}

/** The end of the context after an index. */
function contextEnd(text: string, place: number): number {
  let at = place - 1;
  for (let lines = 0; lines <= CONTEXT_LINES; lines++) {
    at = text.indexOf("\n", at + 1);
    if (at === -1) return text.length;
  }
  return at + 1;
}

/** Cuts at the end of a line: a partial line would look like a whole one. */
function cutToLines(diff: string, changesLeft: number): string {
  const bytes = Buffer.from(diff);
  if (bytes.length <= MAX_DIFF_BYTES && changesLeft === 0) return diff;
  const fits = bytes.length <= MAX_DIFF_BYTES - NOTICE_BYTES;
  const cut = fits ? bytes.length : bytes.lastIndexOf("\n", MAX_DIFF_BYTES - NOTICE_BYTES) + 1;
  const left = [
    ...(fits ? [] : [`${bytes.length - cut} bytes`]),
    ...(changesLeft > 0 ? [`${changesLeft} more changes`] : []),
  ];
  return `${bytes.subarray(0, cut).toString()}[... ${left.join(" and ")} omitted from this diff ...]\n`;
}
