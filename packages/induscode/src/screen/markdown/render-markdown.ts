import { textTable } from "indusagi/core";
import { type Look, paint } from "../colour.ts";
import { renderInline } from "./inline-marks.ts";
import { isTableDivider } from "./is-markdown.ts";

const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}#{1,6} +(.*)$/;
const CLOSING_HASHES = /\s#+$/;
const RULE = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const BULLET = /^(\s*)[-*+] +(.*)$/;
const QUOTE = /^ {0,3}> ?(.*)$/;

const RULE_CHARS = 40;

/**
 * Markdown as plain text for a terminal: without its marks, headings and bold text bold, tables aligned. Lines are not
 * filled again. The text must be safe to show already.
 */
export function renderMarkdown(text: string, look: Look): string {
  const lines = text.split("\n");
  const shown: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const { lines: block, next } =
      codeAt(lines, at, look) ?? tableAt(lines, at, look) ?? lineAt(lines, at, look);
    shown.push(...block);
    at = next;
  }
  return shown.join("\n");
}

/** Rendered lines, and the index of the first line after them. */
interface Rendered {
  readonly lines: readonly string[];
  readonly next: number;
}

/** A block between fences. Its lines are indented and otherwise unchanged. */
function codeAt(lines: readonly string[], at: number, { hasColours }: Look): Rendered | undefined {
  const fence = FENCE.exec(lines[at] ?? "")?.[1];
  if (fence === undefined) return undefined;
  const end = indexFrom(lines, at + 1, (line) => isClosing(line.trim(), fence));
  const code = lines.slice(at + 1, end).map((line) => `    ${line}`);
  return { lines: hasColours ? code.map((line) => paint("dim", line)) : code, next: end + 1 };
}

/** The same mark as at the beginning, at least as often, and nothing else. */
function isClosing(line: string, fence: string): boolean {
  return line.startsWith(fence) && line === fence.charAt(0).repeat(line.length);
}

/** A header, a divider, and rows. */
function tableAt(lines: readonly string[], at: number, look: Look): Rendered | undefined {
  const header = lines[at] ?? "";
  if (!header.includes("|") || !isTableDivider(lines[at + 1] ?? "")) return undefined;
  const end = indexFrom(lines, at + 2, (line) => !line.includes("|"));
  // Colours would count as width.
  const cells = [header, ...lines.slice(at + 2, end)].map(cellsOf);
  const [first = "", ...rows] = textTable(cells).split("\n");
  return { lines: [look.hasColours ? paint("bold", first) : first, ...rows], next: end };
}

/** The index of the first line that passes the test, or of the end. */
function indexFrom(lines: readonly string[], from: number, test: (line: string) => boolean): number {
  let at = from;
  while (at < lines.length && !test(lines[at] ?? "")) at++;
  return at;
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split("|").map((cell) => renderInline(cell.trim(), {}));
}

function lineAt(lines: readonly string[], at: number, look: Look): Rendered {
  return { lines: [renderLine(lines[at] ?? "", look)], next: at + 1 };
}

function renderLine(line: string, look: Look): string {
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
