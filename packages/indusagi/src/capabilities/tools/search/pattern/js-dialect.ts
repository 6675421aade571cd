import { crossesLines } from "./line-pattern.ts";
import { patternTokens } from "./pattern-tokens.ts";

/** The texts an expression is made for: ASCII alone, where the engine's own and much faster assertions do, or any. */
export type Script = "ascii" | "any";

/** Letters, digits and connectors of every script, as in ripgrep; JavaScript's own `\w` knows ASCII only. */
const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
const SPACE = "\\t\\v\\f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** What no class matches, whatever it leaves out: line ends, so that a match stays in its line, and broken characters. */
const NEVER = "\\n\\r\\p{Cs}";

// Broken characters are neither in a word nor outside of one. The first of the two is said positively, because what is
// *not* before also holds, in V8, in the middle of a surrogate pair.
const AFTER_OTHER = `(?<=^|[^${WORD}\\p{Cs}])`;
const BEFORE_OTHER = `(?![${WORD}\\p{Cs}])`;

/** A carriage return and its line feed are one line end, not two. */
const NOT_BEFORE_LINE_FEED = "(?<!\\r(?![^\\n]))";

type Spelling = { readonly [token: string]: string };

const OUTSIDE: Spelling = {
  ".": `[^${NEVER}]`,
  "[^": `[^${NEVER}`,
  "(?P<": "(?<",
  "]": "\\]",
  "}": "\\}",
  "\\d": "\\p{Nd}",
  "\\D": `[^\\p{Nd}${NEVER}]`,
  "\\w": `[${WORD}]`,
  "\\W": `[^${WORD}${NEVER}]`,
  "\\s": `[${SPACE}]`,
  "\\S": `[^${SPACE}${NEVER}]`,
};

const MEMBER: Spelling = {
  "]": "\\]",
  "\\d": "\\p{Nd}",
  "\\D": "\\P{Nd}",
  "\\w": WORD,
  "\\s": SPACE,
  "\\S": "\\P{White_Space}",
  "\\-": "\\-",
};

const ASSERTIONS: { readonly [script in Script]: Spelling } = {
  any: {
    "^": `(?<=^|[\\n\\r])${NOT_BEFORE_LINE_FEED}`,
    $: `(?=$|[\\n\\r])${NOT_BEFORE_LINE_FEED}`,
    "\\b": `(?:(?<=[${WORD}])(?![${WORD}])|(?<=^|[^${WORD}])(?=[${WORD}]))`,
    "\\B": `(?:(?<=[${WORD}])(?=[${WORD}])|${AFTER_OTHER}${BEFORE_OTHER})`,
  },
  ascii: { "^": `^${NOT_BEFORE_LINE_FEED}`, $: `$${NOT_BEFORE_LINE_FEED}` },
};

/** The flags each of the two needs. */
export const SCRIPT_FLAGS: { readonly [script in Script]: string } = { any: "u", ascii: "mu" };

/** From ripgrep's dialect to JavaScript's, where the two spell the same thing differently. */
export function toJsDialect(pattern: string, script: Script): string {
  const outside = { ...OUTSIDE, ...ASSERTIONS[script] };
  return patternTokens(pattern)
    .map(({ text, place }) => {
      if (place === "class end") return text;
      if (place === "outside" && text === "\\n") throw crossesLines();
      return (place === "member" ? MEMBER : outside)[text] ?? spelled(text);
    })
    .join("");
}

/** An expression that matches only where no word goes on to the left or to the right. */
export function wholeWords(source: string): string {
  return `${AFTER_OTHER}(?:${source})${BEFORE_OTHER}`;
}

/** Escapes the two dialects write differently: `\x{e9}`, and punctuation, which JavaScript must not escape needlessly. */
function spelled(token: string): string {
  if (token.startsWith("\\x{")) return `\\u${token.slice(2)}`;
  return /^\\[^\w<>\\^$.*+?()[\]{}|/]$/.test(token) ? token.slice(1) : token;
}
