/** A position in a text; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns a function that finds the line and column of an offset. A line ends at LF, CRLF or CR. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    const line = lastAtMost(starts, Math.min(offset, text.length));
    return { line: line + 1, column: Math.min(offset, text.length) - (starts[line] ?? 0) + 1 };
  };
}

function lastAtMost(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
