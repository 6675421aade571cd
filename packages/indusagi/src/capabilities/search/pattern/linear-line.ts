import { linearProgram } from "../../../core/internal.ts";
import type { LinearLine } from "../search-job.ts";
import { inLineDialect, wholeWordsInLine } from "./js-dialect.ts";
import type { LinePattern } from "./line-pattern.ts";
import { patternTokens } from "./pattern-tokens.ts";

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
