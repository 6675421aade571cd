const PLAIN = /^[\w@%+=:,./-]+$/;

/** A command line that a shell splits into exactly these words. On Windows for PowerShell (untested). */
export function shellLine(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  const quote = platform === "win32" ? "''" : `'\\''`;
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", quote)}'`)).join(" ");
}

const WORD = /(?:'[^']*'|\\.|[^\s'\\])+/g;
const INDENT = "      ";

/** A command line wrapped between words; a shell reads the lines as one. Not on Windows. */
export function breakShellLine(
  line: string,
  width: number = Number.POSITIVE_INFINITY,
  platform: NodeJS.Platform = process.platform,
): string {
  if (line.length <= width || platform === "win32") return line;
  const lines: string[] = [];
  let current = "";
  for (const word of line.match(WORD) ?? []) {
    const isFull = current !== "" && current.length + 1 + word.length + 2 > width;
    if (isFull) lines.push(current);
    current = isFull ? `${INDENT}${word}` : current === "" ? word : `${current} ${word}`;
  }
  return [...lines, current].join(" \\\n");
}
