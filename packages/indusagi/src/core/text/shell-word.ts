/** Quotes a word for pasting into a POSIX shell. Single quotes protect everything but themselves. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
