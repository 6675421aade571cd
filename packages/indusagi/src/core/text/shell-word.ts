/** A word of a command line that is ready to be pasted into a shell. Single quotes protect everything but themselves. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
