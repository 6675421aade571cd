import { createRequire } from "node:module";
import type * as JsoncParser from "jsonc-parser";
import { MAX_CONFIG_DEPTH } from "../contract.ts";

type Jsonc = typeof JsoncParser;

/** A value with its position in the text. */
export type JsonNode = JsoncParser.Node;

/** A member of an object, with the position of its name. */
export interface JsonMember {
  readonly key: string;
  readonly offset: number;
  readonly value: JsonNode;
}

/** The value of a text, or the first error in it. */
export type JsonTreeReading =
  | { readonly root: JsonNode }
  | { readonly problem: string; readonly offset: number; readonly isBlank: boolean };

let loaded: Jsonc | undefined;

/** The library, loaded on first use. With `require`, because reading is synchronous. */
export function jsonc(): Jsonc {
  loaded ??= createRequire(import.meta.url)("jsonc-parser") as Jsonc;
  return loaded;
}

/** Parses JSON with comments, trailing commas and a byte order mark. Never throws; one error drops the whole text. */
export function readJsonTree(text: string): JsonTreeReading {
  // A space keeps all offsets.
  const json = text.startsWith("\uFEFF") ? ` ${text.slice(1)}` : text;
  const tooDeep = depthProblem(json);
  if (tooDeep) return tooDeep;
  const errors: JsoncParser.ParseError[] = [];
  const root = jsonc().parseTree(json, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first && root) return { root };
  if (jsonc().stripComments(json).trim() === "") return { problem: "is empty", offset: 0, isBlank: true };
  const name = first && jsonc().printParseErrorCode(first.error);
  return {
    problem: `is not valid JSON: ${PROBLEMS[name ?? ""] ?? "it cannot be parsed"}`,
    offset: first?.offset ?? 0,
    isBlank: false,
  };
}

/** The members of an object in file order. Repeated names are kept. */
export function membersOf(node: JsonNode): JsonMember[] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value ? [{ key: String(key.value), offset: key.offset, value }] : [],
  );
}

/**
 * The plain value of a node. Every name becomes an own member, even `__proto__`; the last of a repeated name wins. A number that
 * is too large becomes the string `Infinity`, because the value must be JSON.
 */
export function plainValue(node: JsonNode): unknown {
  if (node.type === "array") return (node.children ?? []).map(plainValue);
  if (node.type === "object")
    return Object.fromEntries(membersOf(node).map(({ key, value }) => [key, plainValue(value)]));
  const value: unknown = node.value;
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

const SPELLED = "a number as written";

/**
 * The same without loss, for a hash: some readers use the digits of a number, so 1.0, 1e999 and 2e999 differ from 1 and Infinity.
 * Such a number becomes an object. A real object with that member is wrapped in another one, so no two values look alike.
 */
export function exactValue(node: JsonNode, source: string): unknown {
  if (node.type === "array") return (node.children ?? []).map((item) => exactValue(item, source));
  if (node.type === "object") {
    const members = membersOf(node).map(({ key, value }) => [key, exactValue(value, source)] as const);
    const value = Object.fromEntries(members);
    return Object.hasOwn(value, SPELLED) ? { [SPELLED]: value } : value;
  }
  const written = source.slice(node.offset, node.offset + node.length);
  const isSpelled = node.type === "number" && written !== String(node.value);
  return isSpelled ? { [SPELLED]: written } : (node.value as unknown);
}

/** The parser is recursive, so excessive nesting must be found first. */
function depthProblem(json: string): JsonTreeReading | undefined {
  if (isPlain(json) && !isDeep(json)) return undefined;
  const scanner = jsonc().createScanner(json, true);
  let depth = 0;
  while (scanner.getPosition() < json.length) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (scanner.getTokenLength() !== 1) continue;
    const token = json[offset];
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    if (depth > MAX_CONFIG_DEPTH)
      return { problem: `is nested deeper than ${MAX_CONFIG_DEPTH} levels`, offset, isBlank: false };
  }
  return undefined;
}

/** Whether a text is JSON without comments, as most files are. `JSON.parse` is not recursive. */
function isPlain(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

const [QUOTE, BACKSLASH] = ['"', "\\"].map((char) => char.charCodeAt(0));
const OPENING = ["{", "["].map((char) => char.charCodeAt(0));
const CLOSING = ["}", "]"].map((char) => char.charCodeAt(0));

/** Counts the brackets of plain JSON that are not in strings. The scanner takes ten times as long. */
function isDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; json.charCodeAt(at) !== QUOTE; at++) if (json.charCodeAt(at) === BACKSLASH) at++;
    } else if (OPENING.includes(code)) {
      if (++depth > MAX_CONFIG_DEPTH) return true;
    } else if (CLOSING.includes(code)) depth--;
  }
  return false;
}

const PROBLEMS: { readonly [code: string]: string } = {
  InvalidSymbol: "an unknown word",
  InvalidNumberFormat: "a number is malformed",
  PropertyNameExpected: "a member name in double quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing",
  CommaExpected: "a comma is missing",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "content after the end",
  InvalidCommentToken: "a comment is malformed",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a string is not closed",
  UnexpectedEndOfNumber: "a number is cut off",
  InvalidUnicode: "a \\u escape is malformed",
  InvalidEscapeCharacter: "a backslash escape is unknown",
  InvalidCharacter: "a control character in a string; write it as an escape",
};

/** The list in `{ "fromCommand": [ … ] }`. */
export function commandNode(value: JsonNode): JsonNode | undefined {
  if (value.type !== "object") return undefined;
  return membersOf(value).findLast(({ key }) => key === "fromCommand")?.value;
}
