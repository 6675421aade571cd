import { describeError } from "../../../core/index.ts";
import { SearchFault } from "../search-fault.ts";
import type { Expression, LineExpression } from "../search-job.ts";
import { quotedPattern } from "../shown-lines.ts";
import { toByteText } from "../walk/byte-text.ts";
import { SCRIPT_FLAGS, type Script, toJsDialect, wholeWords } from "./js-dialect.ts";
import type { LinePattern } from "./line-pattern.ts";
import { requiredLiteral } from "./required-literal.ts";

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
