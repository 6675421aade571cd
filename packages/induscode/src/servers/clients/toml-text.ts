import { canonicalJson, isRecord } from "indusagi/core";
import type * as SmolToml from "smol-toml";
import type { FileObject } from "./client-server.ts";

type Toml = Pick<typeof SmolToml, "parse" | "stringify">;

/** One row to set, or to remove if `row` is absent. */
export interface TomlEdit {
  /** The table that contains the rows. */
  readonly table: string;
  readonly name: string;
  readonly row?: FileObject | undefined;
}

/**
 * Sets or removes one row of a table and keeps all other lines, with their comments and order. Undefined if the text is
 * malformed, or if the row is written in a form that cannot be changed line by line.
 */
export async function editTomlRow(text: string, edit: TomlEdit): Promise<string | undefined> {
  const { parse, stringify } = await import("smol-toml");
  const toml = { parse, stringify };
  const before = parsed(toml, text);
  if (!before) return undefined;
  const { table, name, row } = edit;
  const without = withoutRow(toml, text, [table, name]);
  const edited = row ? appended(without, toml.stringify({ [table]: { [name]: row } })) : without;
  const rows = isRecord(before[table]) ? before[table] : {};
  const { [name]: _, ...others } = rows;
  const wanted = { ...before, [table]: row ? { ...others, [name]: row } : others };
  const after = parsed(toml, edited);
  return after && comparable(after) === comparable(wanted) ? edited : undefined;
}

function appended(text: string, table: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const body = text.trimEnd();
  // The library writes an empty table for the parent, which the file may have already.
  const piece = table.replace(/^\[[^.\]]*\]\n+/, "").trimEnd();
  return `${body === "" ? "" : `${body}${eol}${eol}`}${piece.replaceAll("\n", eol)}${eol}`;
}

/** Removes the statements of a row: its tables, their members, and members of the parent table. */
function withoutRow(toml: Toml, text: string, target: readonly string[]): string {
  let table: readonly string[] = [];
  const kept: string[] = [];
  for (const statement of statements(text)) {
    const header = headerPath(toml, statement);
    if (header) table = header;
    const path = header ?? [...table, ...memberPath(toml, statement)];
    const isMember = header !== undefined || path.length > table.length;
    const isTarget = isMember && target.every((part, at) => path[at] === part);
    if (!isTarget) kept.push(statement);
    // The blank line before a table goes with it.
    else if (header && kept.at(-1)?.trim() === "") kept.pop();
  }
  return kept.join("");
}

/** Splits a text into statements, which may span lines. Comments and blank lines count as statements. */
function statements(text: string): string[] {
  const found: string[] = [];
  let open = "";
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    open += line;
    if (isComplete(open)) {
      found.push(open);
      open = "";
    }
  }
  return open === "" ? found : [...found, open];
}

const TOKEN = /#[^\n]*|"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[[\]{}]|"""|'''/g;

/** Whether no bracket and no multi-line string is open at the end. */
function isComplete(statement: string): boolean {
  let depth = 0;
  for (const [token] of statement.matchAll(TOKEN)) {
    if (token === '"""' || token === "'''") return false;
    if (token === "[" || token === "{") depth += 1;
    if (token === "]" || token === "}") depth -= 1;
  }
  return depth <= 0;
}

function headerPath(toml: Toml, statement: string): readonly string[] | undefined {
  return /^\s*\[/.test(statement) ? chainOf(parsed(toml, statement)) : undefined;
}

function memberPath(toml: Toml, statement: string): readonly string[] {
  return /^\s*(#|$)/.test(statement) ? [] : chainOf(parsed(toml, statement));
}

/** The names on the way down to the first value that is not an object with one member. */
function chainOf(value: unknown): string[] {
  const only = Array.isArray(value) ? (value[0] as unknown) : value;
  if (!isRecord(only)) return [];
  const [first, second] = Object.keys(only);
  if (first === undefined || second !== undefined) return [];
  return [first, ...chainOf(only[first])];
}

function parsed(toml: Toml, text: string): FileObject | undefined {
  try {
    return toml.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

/** Ignores empty tables: a header without members may stay or go. */
function comparable(value: FileObject): string {
  const plain = JSON.parse(
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner)),
  ) as FileObject;
  return canonicalJson(Object.fromEntries(Object.entries(plain).filter(([, inner]) => !isEmpty(inner))));
}

function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0;
}
