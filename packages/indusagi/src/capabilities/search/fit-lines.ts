/** How many of the lines fit into `maxBytes` of UTF-8, with their line feeds. */
export function fitLines(lines: readonly string[], maxBytes: number): number {
  let used = 0;
  let count = 0;
  for (const line of lines) {
    used += Buffer.byteLength(line) + 1;
    if (used > maxBytes) break;
    count++;
  }
  return count;
}

/** Formats a number: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}
