import { describeError } from "../../../core/index.ts";
import { linearProgram } from "../../../core/internal.ts";
import { type Expression, type LinearLine, type LineExpression, SearchFault } from "../search-job.ts";
import { quotedPattern } from "../shown-lines.ts";
import { toByteText } from "../walk/byte-text.ts";
import {
  inLineDialect,
  SCRIPT_FLAGS,
  type Script,
  toJsDialect,
  wholeWords,
  wholeWordsInLine,
} from "./js-dialect.ts";
import type { LinePattern } from "./line-pattern.ts";
import { patternTokens } from "./pattern-tokens.ts";

const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** The JavaScript expression with the same meaning as the pattern has in ripgrep. Throws if there is none. */
export function lineExpression(pattern: LinePattern): LineExpression {
  const isLiteral = pattern.isLiteral || pattern.text.search(SYNTAX) === -1;
  const required = isLiteral ? pattern.text : requiredLiteral(pattern.text);
  return {
    any: expression(pattern, isLiteral, "any"),
    ascii: expression(pattern, isLiteral, "ascii"),
    requires: pattern.ignoresCase || required === "" ? undefined : toByteText(required),
    isLiteral: isLiteral && !pattern.ignoresCase && !pattern.wholeWords,
    // A negative lookaround must not look at the next line.
    lineByLine: !isLiteral && /\(\?<?!/.test(pattern.text),
  };
}

function expression(pattern: LinePattern, isLiteral: boolean, script: Script): Expression {
  const plain = isLiteral ? pattern.text.replace(SYNTAX, "\\$&") : toJsDialect(pattern.text, script);
  const source = pattern.wholeWords ? wholeWords(plain) : plain;
  const flags = `${SCRIPT_FLAGS[script]}${pattern.ignoresCase ? "i" : ""}`;
  assertValid(source, flags, pattern.text);
  return { source, flags };
}

function assertValid(source: string, flags: string, pattern: string): void {
  try {
    void new RegExp(source, flags);
  } catch (cause) {
    const reason = describeError(cause).split(": ").at(-1) ?? "not valid";
    const message = `the pattern ${quotedPattern(pattern)} is not a valid expression: ${reason}; for plain text use flag F`;
    throw new SearchFault("pattern", message, { cause });
  }
}

/**
 * The pattern for the linear engine, to be tested on one line without its line ending. Undefined if the engine
 * cannot express it.
 */
export async function linearLine(pattern: LinePattern): Promise<LinearLine | undefined> {
  // Literal text is searched in linear time already. A carriage return inside a line separates parts of it here.
  if (pattern.isLiteral || MENTIONS_RETURN.test(pattern.text)) return undefined;
  const plain = inLineDialect(pattern.text);
  const source = pattern.wholeWords ? wholeWordsInLine(plain) : plain;
  const program = await linearProgram(source, pattern.ignoresCase ? "i" : "");
  return program && { program, onlyAscii: hasWordBoundary(pattern.text) };
}

const MENTIONS_RETURN = /\\r|\\c|\\x0?d|\\x\{0*d\}|\\u000d|\\u\{0*d\}/i;

/** The engine's own `\b` knows ASCII letters only. */
function hasWordBoundary(text: string): boolean {
  return patternTokens(text).some((token) => token.place === "outside" && /^\\b$/i.test(token.text));
}

/**
 * The longest text that every match of a regular expression must contain; empty if none is found easily. Searching a
 * file for plain text is fast, and most files do not contain it.
 */
export function requiredLiteral(pattern: string): string {
  const tokens = patternTokens(pattern);
  const hasChoice = tokens.some(({ text, place }) => place === "outside" && text === "|");
  const hasFlags = /\(\?[a-zA-Z-]+[:)]/.test(pattern);
  // With alternatives nothing is required; with inline flags the text may differ in case.
  if (hasChoice || hasFlags) return "";
  const runs = [""];
  let depth = 0;
  for (const { text, place } of tokens) {
    const run = runs.at(-1) ?? "";
    const isOptional = text === "?" || text === "*" || text.startsWith("{");
    if (place === "outside" && text.startsWith("(")) depth++;
    if (place === "outside" && text === ")") depth--;
    const plain = depth === 0 && place === "outside" ? plainCharacter(text) : undefined;
    if (plain !== undefined) runs[runs.length - 1] = run + plain;
    else if (isOptional && place === "outside") runs.splice(-1, 1, withoutLast(run), "");
    else runs.push("");
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), "");
}

/** The character that a token matches, if it matches only that one. */
function plainCharacter(token: string): string | undefined {
  if (/^\\[^\w<>]$/.test(token)) return token.slice(1);
  return /^[^\\^$.*+?()[\]{}|]$/u.test(token) ? token : undefined;
}

function withoutLast(run: string): string {
  return run.replace(/.$/su, "");
}
