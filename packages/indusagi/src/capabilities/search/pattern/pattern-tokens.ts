/** A token of a pattern: a character, an escape, a repetition, `[^` or `(?P<`. */
export interface PatternToken {
  readonly text: string;
  /** Inside brackets, the closing bracket, or elsewhere. */
  readonly place: "member" | "class end" | "outside";
}

const TOKEN = /\\[pPu]\{[^}]*\}|\\x\{[^}]*\}|\\.|\{\d+(?:,\d*)?\}|\(\?P<|\[\^|./gsu;

/** Splits a regular expression, in ripgrep's dialect or JavaScript's, into tokens. */
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
      // A closing bracket that comes first inside brackets is a member.
      tokens.push({ text, place: "member" });
    }
  }
  return tokens;
}
