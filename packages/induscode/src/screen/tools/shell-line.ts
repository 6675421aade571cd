const PLAIN = /^[\w@%+=:,./-]+$/;

/** A command line that a shell splits into exactly these words. On Windows for PowerShell. */
export function shellLine(words: readonly string[], platform: NodeJS.Platform = process.platform): string {
  const quote = platform === "win32" ? "''" : `'\\''`;
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", quote)}'`)).join(" ");
}
