import type { ParsedFlags } from "../parse-flags.ts";
import type { UsageProblem } from "../usage-problem.ts";

/** A row for a configuration file. */
export interface ServerRow {
  readonly [member: string]: unknown;
}

interface NamedRow {
  readonly name: string;
  readonly row: ServerRow;
}

/** The name and the row of `mcp add`: a URL with headers, or the command after `--` with variables. */
export function readAddRequest(flags: ParsedFlags): NamedRow | UsageProblem {
  const [name, url, surplus] = flags.operands;
  const [command, ...args] = flags.afterEnd;
  if (name === undefined) return { problem: "mcp add needs a name for the server" };
  if (command !== undefined && url !== undefined)
    return { problem: `mcp add takes a URL or a command after --, not also ${JSON.stringify(url)}` };
  if (surplus !== undefined || (url !== undefined && !/^https?:\/\//i.test(url)))
    return { problem: `mcp add takes an http URL, or a command after --: indus mcp add ${name} -- COMMAND` };
  if (command === undefined && url === undefined)
    return { problem: "mcp add needs a URL, or -- and the command that starts the server" };
  const env = environmentOf(flags.list("--env"));
  const headers = headersOf(flags.list("--header"));
  if ("problem" in env) return env;
  if ("problem" in headers) return headers;
  if (url !== undefined) {
    if (flags.has("--env")) return { problem: "--env is for a server that is started as a command" };
    return { name, row: { url, ...(flags.has("--header") ? { headers: headers.values } : {}) } };
  }
  if (flags.has("--header")) return { problem: "--header is for a server with a URL" };
  return {
    name,
    row: {
      command,
      ...(args.length > 0 ? { args } : {}),
      ...(flags.has("--env") ? { env: env.values } : {}),
    },
  };
}

/** The name and the row of `mcp add-json`. */
export function readJsonRow(flags: ParsedFlags): NamedRow | UsageProblem {
  const [name, text, surplus] = [...flags.operands, ...flags.afterEnd];
  if (name === undefined || text === undefined || surplus !== undefined)
    return { problem: "mcp add-json needs a name and one JSON object" };
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    // The text may contain secrets, so it is not repeated.
    return { problem: "the second argument of mcp add-json is not valid JSON; quote it for your shell" };
  }
  if (typeof row !== "object" || row === null || Array.isArray(row))
    return { problem: 'the JSON of mcp add-json is not an object; write {"command":"…"} or {"url":"…"}' };
  return { name, row: row as ServerRow };
}

type Values = { readonly values: { readonly [name: string]: string } } | UsageProblem;

function environmentOf(given: readonly string[]): Values {
  const entries: [string, string][] = [];
  for (const text of given) {
    const [, name, , value] = /^([^=]+)(=([\s\S]*))?$/.exec(text) ?? [];
    if (name === undefined) return { problem: "--env takes NAME=VALUE, or NAME for your own variable" };
    entries.push([name, value ?? `\${${name}}`]);
  }
  return { values: Object.fromEntries(entries) };
}

function headersOf(given: readonly string[]): Values {
  const entries: [string, string][] = [];
  for (const text of given) {
    const [, name, value] = /^([^:]+):\s*([\s\S]*)$/.exec(text) ?? [];
    if (name === undefined || value === undefined) return { problem: '--header takes "NAME: VALUE"' };
    entries.push([name.trim(), value.trimEnd()]);
  }
  return { values: Object.fromEntries(entries) };
}
