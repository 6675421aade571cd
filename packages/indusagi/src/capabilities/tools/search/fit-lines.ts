/** How many of the lines, from the first, fit in so many bytes of UTF-8 with their line feeds. */
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

/** A number as people write it: `12,345`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
