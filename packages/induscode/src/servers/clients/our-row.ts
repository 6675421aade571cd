import { posix, win32 } from "node:path";
import type { PlainRow } from "indusagi/config";
import { isRecord } from "indusagi/core";
import type { Client, ClientPlace, ClientWorld } from "./client.ts";
import type { FileObject } from "./client-server.ts";
import { respelled } from "./client-variables.ts";

/** A client's row in our form. */
export interface OurRow {
  readonly row: PlainRow;
  /** The members that have no effect here. */
  readonly unused: readonly string[];
  /** Why it cannot be used, as a clause. */
  readonly problem?: string | undefined;
}

export interface RowOrigin {
  readonly client: Client;
  readonly place: ClientPlace;
  readonly world: ClientWorld;
}

/** Converts a row. Values keep their variables; relative paths become absolute, because our file is elsewhere. */
export function ourRow(given: FileObject, origin: RowOrigin): OurRow {
  const { client } = origin;
  const spelled = respelled(given, client.variables) as FileObject;
  const plain = PLAIN[client.id]?.(spelled) ?? spelled;
  const { command, args, env, type, url, serverUrl, httpUrl, headers, ...rest } = plain;
  const { cwd, envFile, enabled, disabled, disabledTools, excludeTools, ...others } = rest;
  const address = url ?? serverUrl ?? httpUrl;
  if (command === undefined && address === undefined)
    return { row: {}, unused: [], problem: notAServer(client) };
  // It could send any file to a server.
  if (client.variables === "opencode" && JSON.stringify(plain).includes("{file:"))
    return {
      row: {},
      unused: [],
      problem: "uses {file:…}, which is not supported; use an environment variable",
    };
  const isOff = enabled === false || disabled === true;
  const kept = Object.entries(others).filter(([member]) => KEPT.has(member));
  const row = defined({
    type: typeOf(type, httpUrl !== undefined && url === undefined),
    command: address === undefined ? command : undefined,
    args: address === undefined ? args : undefined,
    env: address === undefined ? filledOnly(env) : undefined,
    envFile: inPlace(envFile, origin),
    cwd: address === undefined ? inPlace(cwd, origin) : undefined,
    url: address,
    headers: address === undefined ? undefined : filledOnly(headers),
    excludeTools: filledOnly(excludeTools ?? disabledTools),
    ...Object.fromEntries(kept),
    enabled: isOff ? false : undefined,
  });
  const unused = Object.keys(others).filter((member) => !KEPT.has(member) && !DESCRIPTIVE.has(member));
  return { row, unused };
}

/** Members with the same meaning here. */
const KEPT = new Set(["timeout", "timeouts", "includeTools", "required"]);

/** Members that only describe, or that grant the other client permissions. */
const DESCRIPTIVE = new Set([
  "name",
  "description",
  "source",
  "gallery",
  "version",
  "trust",
  "alwaysAllow",
  "autoApprove",
  "settings",
]);

/** Forms that differ in more than the names of members. Undefined members count as absent. */
const PLAIN: { readonly [client: string]: (row: FileObject) => FileObject } = {
  codex: fromCodexRow,
  zed: (row) => {
    const { command, ...rest } = row;
    if (!isRecord(command)) return row;
    return { ...rest, command: command["path"], args: command["args"], env: command["env"] };
  },
  opencode: (row) => {
    const { command, environment, timeout, ...rest } = row;
    const [program, ...args] = Array.isArray(command) ? (command as unknown[]) : [command];
    return {
      ...rest,
      command: program,
      args: args.length > 0 ? args : undefined,
      env: environment,
      timeouts: timeout === undefined ? undefined : { listMs: timeout },
    };
  },
};

/** Codex has other names for its members, and takes secrets by the name of a variable. */
function fromCodexRow(row: FileObject): FileObject {
  const { env, env_vars: vars, http_headers: headers, env_http_headers: envHeaders, ...rest } = row;
  const { bearer_token_env_var: bearer, enabled_tools: only, disabled_tools: without, ...others } = rest;
  const {
    startup_timeout_sec: startup,
    startup_timeout_ms: startupMs,
    tool_timeout_sec: call,
    ...own
  } = others;
  const allHeaders = {
    ...(isRecord(headers) ? headers : {}),
    ...(isRecord(envHeaders) ? referring(Object.entries(envHeaders)) : {}),
    ...(typeof bearer === "string" ? { Authorization: `Bearer ${reference(bearer)}` } : {}),
  };
  const allEnv = { ...referring(varNames(vars).map((name) => [name, name])), ...(isRecord(env) ? env : {}) };
  const connectMs =
    milliseconds(startup) ?? (typeof startupMs === "number" ? startupMs || undefined : undefined);
  const callMs = milliseconds(call);
  return {
    ...own,
    env: allEnv,
    headers: allHeaders,
    includeTools: Array.isArray(only) ? only : undefined,
    excludeTools: Array.isArray(without) ? without : undefined,
    timeouts: filledOnly(defined({ connectMs, callMs })),
  };
}

/** Names, or since 2026 objects with a name and a source. */
function varNames(vars: unknown): string[] {
  if (!Array.isArray(vars)) return [];
  return vars.flatMap((each: unknown) => {
    const name = isRecord(each) ? each["name"] : each;
    return typeof name === "string" ? [name] : [];
  });
}

function referring(names: readonly (readonly [string, unknown])[]): FileObject {
  return Object.fromEntries(names.map(([name, variable]) => [name, reference(String(variable))]));
}

function reference(variable: string): string {
  return `\${${variable}}`;
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

function notAServer({ id, title }: Client): string {
  return id === "zed"
    ? "is started by an extension of Zed; add it with its own command"
    : `has neither a command nor a URL; correct it in ${title}`;
}

/** Our word for the transport. Undefined if the rest of the row implies it. */
function typeOf(type: unknown, isHttpUrl: boolean): string | undefined {
  if (type === "sse") return "sse";
  const isHttp = ["http", "streamable-http", "streamableHttp", "streamable_http"].some(
    (word) => word === type,
  );
  return isHttp || isHttpUrl ? "http" : undefined;
}

function filledOnly(value: unknown): unknown {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return isEmpty ? undefined : value;
}

/** Relative paths start at the project, or at the folder of the user's file. Paths with variables stay as they are. */
function inPlace(path: unknown, { place, world }: RowOrigin): unknown {
  const paths = world.platform === "win32" ? win32 : posix;
  if (typeof path !== "string" || path.includes("${") || path.startsWith("~")) return path;
  if (paths.isAbsolute(path)) return path;
  return paths.resolve(place.scope === "user" ? paths.dirname(place.file) : world.cwd, path);
}

function defined(row: FileObject): PlainRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}
