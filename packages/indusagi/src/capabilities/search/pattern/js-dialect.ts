import { crossesLines } from "./line-pattern.ts";
import { patternTokens } from "./pattern-tokens.ts";

/** Which texts an expression is for. For ASCII, JavaScript's own assertions suffice, and they are much faster. */
export type Script = "ascii" | "any";

/** Letters, digits and connectors of every script, as in ripgrep. JavaScript's `\w` is ASCII only. */
const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d";
const SPACE = "\\t\\v\\f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

/** Never matched by a negated class: line ends, so a match stays in its line, and lone surrogates. */
const NEVER = "\\n\\r\\p{Cs}";

// Lone surrogates count neither as word characters nor as others. The first is a positive lookbehind, because in V8 a
// negative one also holds inside a surrogate pair.
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

export const SCRIPT_FLAGS: { readonly [script in Script]: string } = { any: "u", ascii: "mu" };

/** Translates a pattern from ripgrep's dialect to JavaScript's. */
export function toJsDialect(pattern: string, script: Script): string {
  return translate(pattern, { ...OUTSIDE, ...ASSERTIONS[script] });
}

/** The same for a text that is one line, or a part of one between carriage returns. It adds no lookarounds. */
export function inLineDialect(pattern: string): string {
  return translate(pattern, OUTSIDE);
}

function translate(pattern: string, outside: Spelling): string {
  return patternTokens(pattern)
    .map(({ text, place }) => {
      if (place === "class end") return text;
      if (place === "outside" && text === "\\n") throw crossesLines();
      return (place === "member" ? MEMBER : outside)[text] ?? spelled(text);
    })
    .join("");
}

/** An expression that matches whole words only. */
export function wholeWords(source: string): string {
  return `${AFTER_OTHER}(?:${source})${BEFORE_OTHER}`;
}

/** The same for a test of one line, without lookarounds: a match may include the characters around the words. */
export function wholeWordsInLine(source: string): string {
  return `(?:^|[^${WORD}\\p{Cs}])(?:${source})(?:$|[^${WORD}\\p{Cs}])`;
}

/** Escapes that differ: `\x{e9}`, and punctuation, which JavaScript forbids to escape needlessly. */
function spelled(token: string): string {
  if (token.startsWith("\\x{")) return `\\u${token.slice(2)}`;
  return /^\\[^\w<>\\^$.*+?()[\]{}|/]$/.test(token) ? token.slice(1) : token;
}
