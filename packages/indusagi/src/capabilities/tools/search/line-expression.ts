import { describeError } from "../../../core/index.ts";
import { toByteText } from "./byte-text.ts";
import { crossesLines, type LinePattern } from "./line-pattern.ts";
import { SearchFault } from "./search-fault.ts";
import type { LineExpression } from "./search-job.ts";

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** A pattern as JavaScript's engine takes it, meaning what it means to ripgrep; refused if it has no meaning there. */
export function lineExpression(pattern: LinePattern): LineExpression {
  const isLiteral = pattern.isLiteral || pattern.text.search(SYNTAX) === -1;
  const plain = isLiteral ? pattern.text.replace(SYNTAX, "\\$&") : translate(pattern.text);
  const source = pattern.wholeWords ? `(?<![${WORD}])(?:${plain})(?![${WORD}])` : plain;
  const flags = pattern.ignoresCase ? "iu" : "u";
  assertValid(source, flags, pattern.text);
  const isBytes = isLiteral && !pattern.ignoresCase && !pattern.wholeWords;
  return {
    ...(isBytes ? { literal: toByteText(pattern.text) } : {}),
    source,
    flags,
    // What must not follow may well follow on the next line.
    lineByLine: !isLiteral && /\(\?<?!/.test(pattern.text),
  };
}

/** Letters, digits and connectors of every script, as in ripgrep; JavaScript's own `\w` knows ASCII only. */
const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
const SPACE = "\\t\\v\\f\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";

// Nothing here matches a line feed: a match in the whole text then stays in its line.
const OUTSIDE: { readonly [token: string]: string } = {
  ".": "[^\\n\\r]",
  "^": "(?<![^\\n\\r])",
  $: "(?![^\\n\\r])",
  "[^": "[^\\n",
  "(?P<": "(?<",
  "]": "\\]",
  "}": "\\}",
  "\\d": "\\p{Nd}",
  "\\D": "[^\\p{Nd}\\n]",
  "\\w": `[${WORD}]`,
  "\\W": `[^${WORD}\\n]`,
  "\\s": `[${SPACE}]`,
  "\\S": "\\P{White_Space}",
  "\\b": `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  "\\B": `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
};

const INSIDE: { readonly [token: string]: string } = {
  "\\d": "\\p{Nd}",
  "\\D": "\\P{Nd}",
  "\\w": WORD,
  "\\s": SPACE,
  "\\S": "\\P{White_Space}",
  "\\-": "\\-",
};

const TOKEN = /\\[pPu]\{[^}]*\}|\\x\{[^}]*\}|\\.|\{\d+(?:,\d*)?\}|\(\?P<|\[\^|./gsu;

/** From ripgrep's dialect to JavaScript's, where the two spell the same thing differently. */
function translate(pattern: string): string {
  let source = "";
  let classStart = -1;
  for (const { 0: token, index } of pattern.matchAll(TOKEN)) {
    const isInside = classStart >= 0;
    if (token === "\\n" && !isInside) throw crossesLines();
    // The first character of a class is a member even if it is the closing bracket.
    if (isInside && token === "]" && index > classStart) {
      source += "]";
      classStart = -1;
      continue;
    }
    source += (isInside ? INSIDE : OUTSIDE)[token] ?? (isInside && token === "]" ? "\\]" : spelled(token));
    if (!isInside && (token === "[" || token === "[^")) classStart = index + token.length;
  }
  return source;
}

/** Escapes the two dialects write differently: `\x{e9}`, and punctuation, which JavaScript must not escape needlessly. */
function spelled(token: string): string {
  if (token.startsWith("\\x{")) return `\\u${token.slice(2)}`;
  return /^\\[^\w<>]$/.test(token) && token.search(/\\[\\^$.*+?()[\]{}|/]/) === -1 ? token.slice(1) : token;
}

function assertValid(source: string, flags: string, pattern: string): void {
  try {
    new RegExp(source, flags);
  } catch (cause) {
    const reason = describeError(cause).split(": ").at(-1) ?? "not valid";
    const says = `the pattern ${JSON.stringify(pattern)} is not a valid expression: ${reason}; for plain text use flag F`;
    throw new SearchFault("pattern", says, { cause });
  }
}
