/** A piece of a pattern: a character, an escape, a repetition, or one of the openings `[^` and `(?P<`. */
export interface PatternToken {
  readonly text: string;
  /** Between brackets, the bracket that closes them, or anywhere else. */
  readonly place: "member" | "class end" | "outside";
}

const TOKEN = /\\[pPu]\{[^}]*\}|\\x\{[^}]*\}|\\.|\{\d+(?:,\d*)?\}|\(\?P<|\[\^|./gsu;

/** Cuts a regular expression, in ripgrep's dialect or JavaScript's, into its pieces. */
export function patternTokens(pattern: string): PatternToken[] {
  const tokens: PatternToken[] = [];
  let classStart = -1;
  for (const { 0: text, index } of pattern.matchAll(TOKEN)) {
    if (classStart < 0) {
      tokens.push({ text, place: "outside" });
      if (text === "[" || text === "[^") classStart = index + text.length;
    } else if (text === "]" && index > classStart) {
      tokens.push({ text, place: "class end" });
      classStart = -1;
    } else {
      // The first character between the brackets is a member even if it is a closing bracket.
      tokens.push({ text, place: "member" });
    }
  }
  return tokens;
}
