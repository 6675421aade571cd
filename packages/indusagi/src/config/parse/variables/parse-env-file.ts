import type { Environment } from "../../../core/index.ts";

/** The variables of a file, and the numbers of invalid lines. */
export interface ParsedEnvFile {
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
