import { type Look, paint } from "../colour.ts";
import { renderInline } from "./inline-marks.ts";

const HEADING = /^ {0,3}#{1,6} +(.*)$/;
const CLOSING_HASHES = /\s#+$/;
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const BULLET = /^(\s*)[-*+] +(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;

const RULE_CHARS = 40;

/** A line that is neither code nor part of a table. */
export function renderLine(line: string, look: Look): string {
  if (RULE.test(line)) return "─".repeat(Math.min(look.width ?? RULE_CHARS, RULE_CHARS));
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) {
    const plain = renderInline(heading.replace(CLOSING_HASHES, ""), {});
    return look.hasColours ? paint("bold", plain) : plain;
  }
  const quoted = QUOTE.exec(line)?.[1];
  if (quoted !== undefined) return `│ ${renderInline(quoted, look)}`;
  const [, indent, item] = BULLET.exec(line) ?? [];
  return item === undefined ? renderInline(line, look) : `${indent}• ${renderInline(item, look)}`;
}
