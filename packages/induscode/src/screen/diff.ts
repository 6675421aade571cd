import { paint } from "./colour.ts";

const HUNK = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;
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
