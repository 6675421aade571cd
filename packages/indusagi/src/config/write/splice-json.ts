import { type JsonNode, jsonc } from "../parse/json-tree.ts";
import { indentOf } from "./rows-in-text.ts";

/** A part of a text to replace. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text with its parts replaced. The parts do not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = [...splices].sort((a, b) => b.from - a.from);
  return ordered.reduce(
    (whole, { from, to, text: piece }) => whole.slice(0, from) + piece + whole.slice(to),
    text,
  );
}

/** Replaces a value. */
export function replaceValue(text: string, node: JsonNode, value: unknown): Splice[] {
  const piece = formatJson(value, { indent: lineIndent(text, node.offset), ...styleOf(text) });
  return [{ from: node.offset, to: node.offset + node.length, text: piece }];
}

/** Adds a member to an object, or an item to an array, as the last one. `label`: the name of a member with its colon. */
export function appendItem(
  text: string,
  parent: JsonNode,
  { label = "", value }: { readonly label?: string; readonly value: unknown },
): Splice[] {
  const style = styleOf(text);
  const last = parent.children?.at(-1);
  if (!last) return fillEmpty(text, parent, { label, value });
  const first = parent.children?.[0] ?? last;
  const end = last.offset + last.length;
  if (!text.slice(parent.offset, first.offset).includes("\n")) {
    const comma = commaAfter(text, end);
    const piece = ` ${label}${inlineJson(value)}`;
    if (comma === undefined) return [{ from: end, to: end, text: `,${piece}` }];
    return [{ from: comma + 1, to: comma + 1, text: piece }];
  }
  const indent = lineIndent(text, first.offset);
  const comma = commaAfter(text, end);
  const at = endOfRemark(text, comma === undefined ? end : comma + 1);
  const item = `${style.eol}${indent}${label}${formatJson(value, { indent, ...style })}`;
  if (comma !== undefined) return [{ from: at, to: at, text: `${item},` }];
  if (at === end) return [{ from: end, to: end, text: `,${item}` }];
  return [
    { from: end, to: end, text: "," },
    { from: at, to: at, text: item },
  ];
}

/** Removes a member or an item with its comma, its line, and a comment behind it on the same line. */
export function removeItem(text: string, item: JsonNode, previous: JsonNode | undefined): Splice[] {
  const end = item.offset + item.length;
  const comma = commaAfter(text, end);
  const splices: Splice[] = [];
  if (comma === undefined && previous) {
    const before = commaAfter(text, previous.offset + previous.length);
    if (before !== undefined) {
      if (/^[ \t]*$/.test(text.slice(before + 1, item.offset))) return [{ from: before, to: end, text: "" }];
      splices.push({ from: before, to: before + 1, text: "" });
    }
  }
  let to = comma === undefined ? end : comma + 1;
  const lineStart = text.lastIndexOf("\n", item.offset - 1) + 1;
  const isAlone = /^[ \t]*$/.test(text.slice(lineStart, item.offset));
  let from = item.offset;
  if (isAlone) {
    to = endOfRemark(text, to);
    const rest = /^[ \t]*(\r?\n)?/.exec(text.slice(to));
    if (rest?.[1] !== undefined) {
      from = lineStart;
      to += rest[0].length;
    }
  } else {
    const gap = /^[ \t]*/.exec(text.slice(to))?.[0].length ?? 0;
    if (comma !== undefined) to += gap;
  }
  splices.push({ from, to, text: "" });
  return splices;
}

interface Style {
  /** The indentation of one level. */
  readonly unit: string;
  readonly eol: string;
}

function styleOf(text: string): Style {
  return { unit: indentOf(text), eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

function fillEmpty(
  text: string,
  parent: JsonNode,
  { label, value }: { readonly label: string; readonly value: unknown },
): Splice[] {
  const style = styleOf(text);
  const outer = lineIndent(text, parent.offset);
  const indent = outer + style.unit;
  const end = parent.offset + parent.length - 1;
  const inside = text.slice(parent.offset + 1, end).trimEnd();
  const item = `${style.eol}${indent}${label}${formatJson(value, { indent, ...style })}${style.eol}${outer}`;
  return [{ from: parent.offset + 1 + inside.length, to: end, text: item }];
}

/** The white space at the start of the line. */
function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

/** The position of the comma that follows, after white space and comments. */
function commaAfter(text: string, from: number): number | undefined {
  const scanner = jsonc().createScanner(text, true);
  scanner.setPosition(from);
  scanner.scan();
  const at = scanner.getTokenOffset();
  return text[at] === "," ? at : undefined;
}

/** The end of comments on the same line; `from` if there are none. */
function endOfRemark(text: string, from: number): number {
  const remark =
    /^(?:[ \t]*\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/.exec(text.slice(from))?.[0] ?? "";
  return from + remark.length;
}

/** JSON on several lines; a list of plain values stays on one line. */
function formatJson(value: unknown, style: Style & { readonly indent: string }): string {
  const { indent, unit, eol } = style;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = { ...style, indent: indent + unit };
  const items = Array.isArray(value)
    ? value.map((item: unknown) => formatJson(item, inner))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => `${JSON.stringify(name)}: ${formatJson(member, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (items.length === 0) return `${open}${close}`;
  const isPlain = Array.isArray(value) && value.every((item) => typeof item !== "object" || item === null);
  if (isPlain) return `[${items.join(", ")}]`;
  return `${open}${eol}${inner.indent}${items.join(`,${eol}${inner.indent}`)}${eol}${indent}${close}`;
}

function inlineJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(", ")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${inlineJson(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
