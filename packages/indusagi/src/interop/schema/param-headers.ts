import { keywordsWhere } from "../../llm/internal.ts";

const HEADER_KEYWORD = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRINTABLE = /^[\x20-\x7e]*$/;
const SENTINEL = /^=\?base64\?.*\?=$/;
const HEADER_TYPES = new Set(["string", "integer", "boolean"]);
const MAX_DEPTH = 64;

/** An argument that a modern HTTP server also expects as a header. */
export interface ParamHeader {
  readonly header: string;
  /** Path of the argument in the call. */
  readonly path: readonly string[];
}

/** The header declarations of an input schema, or the error in them: a tool with invalid declarations is not offered. */
export type ParamHeaders =
  | { readonly ok: true; readonly headers: readonly ParamHeader[] }
  | { readonly ok: false; readonly why: string };

export function paramHeadersOf(inputSchema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const seen = new Set<string>();
  const problem = visit(inputSchema, [], { headers, seen, isReachable: true });
  return problem === undefined ? { ok: true, headers } : { ok: false, why: problem };
}

interface Walk {
  readonly headers: ParamHeader[];
  readonly seen: Set<string>;
  /** Only a chain of `properties` from the root identifies one argument. */
  readonly isReachable: boolean;
}

function visit(node: unknown, path: readonly string[], walk: Walk): string | undefined {
  if (typeof node !== "object" || node === null || path.length > MAX_DEPTH) return undefined;
  const schema = node as { readonly [keyword: string]: unknown };
  if (HEADER_KEYWORD in schema) {
    const problem = declare(schema, path, walk);
    if (problem !== undefined) return problem;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const problem =
      keyword === "properties" ? visitProperties(value, path, walk) : visitOther(keyword, value, path, walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function visitProperties(value: unknown, path: readonly string[], walk: Walk): string | undefined {
  for (const [name, child] of Object.entries(value ?? {})) {
    const problem = visit(child, [...path, name], walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const DATA_KEYWORDS = new Set([...keywordsWhere(({ isData }) => isData), "required"]);

function visitOther(
  keyword: string,
  value: unknown,
  path: readonly string[],
  walk: Walk,
): string | undefined {
  if (DATA_KEYWORDS.has(keyword)) return undefined;
  return visit(value, [...path, keyword], { ...walk, isReachable: false });
}

function declare(
  schema: { readonly [keyword: string]: unknown },
  path: readonly string[],
  walk: Walk,
): string | undefined {
  const header = schema[HEADER_KEYWORD];
  const where = path.join(".") || "the root";
  if (!walk.isReachable || path.length === 0)
    return `${where}: ${HEADER_KEYWORD} is allowed on named arguments only`;
  if (typeof header !== "string" || !TOKEN.test(header))
    return `${where}: ${HEADER_KEYWORD} is not a header name`;
  if (!HEADER_TYPES.has(String(schema["type"])))
    return `${where}: ${HEADER_KEYWORD} is allowed on strings, integers and booleans only`;
  if (walk.seen.has(header.toLowerCase())) return `${where}: ${HEADER_KEYWORD} ${header} is declared twice`;
  walk.seen.add(header.toLowerCase());
  walk.headers.push({ header, path });
  return undefined;
}

/** The headers for one call. Absent arguments are left out; text that a header cannot hold is encoded. */
export function paramHeaderValues(
  declared: readonly ParamHeader[],
  args: unknown,
): { readonly [name: string]: string } {
  const values: Record<string, string> = {};
  for (const param of declared) {
    const value = paramValueOf(param, args);
    if (value !== undefined) values[`Mcp-Param-${param.header}`] = encodeHeaderValue(value);
  }
  return values;
}

/** The text of an argument declared as a header; `undefined` if the call does not have it. */
export function paramValueOf({ path }: ParamHeader, args: unknown): string | undefined {
  const value = path.reduce<unknown>(
    (node, key) =>
      typeof node === "object" && node !== null ? (node as Record<string, unknown>)[key] : undefined,
    args,
  );
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : undefined;
}

/** The decoded value of a header; `undefined` if its encoding is broken. */
export function decodeHeaderValue(text: string): string | undefined {
  if (!SENTINEL.test(text)) return text;
  const wrapped = text.slice("=?base64?".length, -"?=".length);
  const bytes = Buffer.from(wrapped, "base64");
  if (bytes.toString("base64") !== wrapped) return undefined;
  const decoded = bytes.toString("utf8");
  return Buffer.from(decoded).equals(bytes) ? decoded : undefined;
}

function encodeHeaderValue(text: string): string {
  const isPlain = PRINTABLE.test(text) && text.trim() === text && !SENTINEL.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
