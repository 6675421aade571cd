import { isAbsolute, resolve } from "node:path";
import type { Environment } from "../../../core/index.ts";
import type { TextReading } from "../../contract.ts";
import type { Report, Spot } from "../../report.ts";
import { type JsonNode, membersOf } from "../json-tree.ts";
import { fromOpencodeSyntax } from "../opencode-row.ts";
import type { RowReader, WrittenText } from "../row-reader.ts";
import { expandVariables } from "./expand-variables.ts";
import { lookupVariable, type Variables } from "./variables.ts";

export interface EnvFileOptions {
  readonly report: Report;
  readonly variables: Variables;
  readonly baseDir?: string | undefined;
  readonly readText?: ((path: string) => TextReading) | undefined;
}

/** The variables in a configuration file's own `envFile`, and its path as written. */
export interface SharedEnvironment {
  readonly path: string;
  readonly variables: Environment | undefined;
}

/** Reads a configuration file's own `envFile`: rows may refer to its variables, and a server gets only those its row names. */
export function fileEnvironment(root: JsonNode, options: EnvFileOptions): SharedEnvironment | undefined {
  const member = membersOf(root).findLast(({ key }) => key === "envFile");
  if (!member) return undefined;
  const spot: Spot = { offset: member.offset, path: ["envFile"] };
  const path: unknown = member.value.value;
  if (typeof path !== "string") {
    options.report.error(spot, '"envFile" is not a string and is ignored; write the path of a file');
    return undefined;
  }
  const expansion = expandVariables(path, (name) => lookupVariable(name, options.variables));
  const read =
    "problem" in expansion
      ? { problem: `"envFile" ${expansion.problem}` }
      : readVariables(expansion.text, spot, options);
  if ("problem" in read) options.report.error(spot, `${read.problem}. It is ignored`);
  return { path, variables: "problem" in read ? undefined : read.variables };
}

/** Reads the `envFile` of one row: its server gets all variables. If it cannot be read, the row is refused. */
export function rowEnvironment(
  written: WrittenText,
  row: RowReader,
  options: EnvFileOptions,
): Environment | undefined {
  const path = row.expand(written, (name) => lookupVariable(name, options.variables));
  if (path === undefined) return undefined;
  const read = readVariables(path, written.spot, options);
  if (!("problem" in read)) return read.variables;
  row.refuse(written.spot, read.problem);
  return undefined;
}

/** The names in the `envFile` of a row. Reports nothing; empty if it cannot be read. */
export function envFileNames(
  { text }: WrittenText,
  { isOpencode }: RowReader,
  options: EnvFileOptions,
): readonly string[] {
  const path = isOpencode ? fromOpencodeSyntax(text) : text;
  const expansion = expandVariables(path, (name) => lookupVariable(name, options.variables));
  if ("problem" in expansion) return [];
  const read = options.readText?.(fullPath(expansion.text, options));
  return !read || "problem" in read ? [] : Object.keys(parseEnvFile(read.text).variables);
}

function fullPath(path: string, { baseDir }: Pick<EnvFileOptions, "baseDir">): string {
  return isAbsolute(path) || baseDir === undefined ? path : resolve(baseDir, path);
}

function readVariables(
  path: string,
  spot: Spot,
  options: EnvFileOptions,
): { readonly variables: Environment } | { readonly problem: string } {
  const { report, readText } = options;
  const read: TextReading = readText?.(fullPath(path, options)) ?? {
    problem: 'cannot be read here; write its variables in "env"',
  };
  if ("problem" in read) return { problem: `the "envFile" ${read.problem}` };
  if (read.isShared) {
    report.warning(spot, 'the "envFile" is open to other users; run chmod 600 on it');
  }
  const { variables, badLines } = parseEnvFile(read.text);
  if (badLines.length > 0) {
    const lines = badLines.slice(0, 5).join(", ");
    report.warning(spot, `the "envFile" has lines that are not NAME=value and are ignored: ${lines}`);
  }
  return { variables };
}

/** The variables of a file, and the numbers of invalid lines. */
interface ParsedEnvFile {
  readonly variables: Environment;
  readonly badLines: readonly number[];
}

const ASSIGNMENT = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)$/;

/** Parses `NAME=value` lines with `#` comments, `export` and quoted values. Expands nothing. Never throws. */
export function parseEnvFile(text: string): ParsedEnvFile {
  const variables = new Map<string, string>();
  const badLines: number[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name, raw] = ASSIGNMENT.exec(line) ?? [];
    const value = raw === undefined ? undefined : unquotedValue(raw.trim());
    if (name === undefined || value === undefined || value.includes("\0")) badLines.push(index + 1);
    else variables.set(name, value);
  }
  return { variables: Object.fromEntries(variables), badLines };
}

/** Undefined for a quote that is not closed. */
function unquotedValue(raw: string): string | undefined {
  const quote = raw[0];
  if (quote !== '"' && quote !== "'") return withoutComment(raw);
  const closed = (quote === '"' ? /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/ : /^'([^']*)'\s*(?:#.*)?$/).exec(
    raw,
  )?.[1];
  if (closed === undefined || quote === "'") return closed;
  return closed.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char);
}

function withoutComment(raw: string): string {
  const comment = raw.search(/\s#/);
  return comment === -1 ? raw : raw.slice(0, comment).trimEnd();
}

const ESCAPES: { readonly [char: string]: string } = { n: "\n", r: "\r", t: "\t" };
