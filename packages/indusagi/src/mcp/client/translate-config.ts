import { isRecord } from "../../core/index.ts";
import { definedMembers, MAX_TIMER_MS, secretValues } from "../../core/internal.ts";
import type { ServerConfig } from "../../interop/index.ts";
import { CALL_TOTAL_MS } from "../../interop/internal.ts";
import type { HttpServerConfig, MCPConnectionOptions, StdioServerConfig } from "../contract/index.ts";
import { createConfigError, createInvalidParametersError } from "../errors/index.ts";

/** The default milliseconds for connecting, for a listing and for a call. */
export const DEFAULT_TIMEOUT = 60_000;

/** The longest time that timers support, with a margin. */
const MAX_MS = MAX_TIMER_MS - 10_000;

/** Converts connection options to interop's configuration. Throws a `CONFIG_ERROR` that names the server. */
export function toServerConfig({
  name,
  config,
  timeout = DEFAULT_TIMEOUT,
  includeTools,
  excludeTools,
  toolOverrides,
  passBaggage,
  pending,
}: MCPConnectionOptions): ServerConfig {
  if (typeof name !== "string" || name === "") throw createConfigError("a server has no name");
  if (typeof config !== "object" || config === null) {
    throw createConfigError(`server "${name}" has no config; set a command or a url`);
  }
  if (!Number.isFinite(timeout) || timeout <= 0) {
    throw createConfigError(`server "${name}": timeout must be a positive number of milliseconds`);
  }
  const ms = Math.min(timeout, MAX_MS);
  // A program without types may pass null or false.
  const common = definedMembers({
    id: name,
    timeouts: { connectMs: ms, listMs: ms, callMs: ms },
    includeTools: includeTools || undefined,
    excludeTools: excludeTools || undefined,
    toolOverrides: toolOverrides || undefined,
    passBaggage: passBaggage || undefined,
    pending: pending || undefined,
  });
  if ("url" in config) return { ...common, ...httpConfig(name, config) };
  return { ...common, ...stdioConfig(name, config) };
}

/** The values of a configuration that no error, log or status may show. The configuration is not checked yet. */
export function secretsOf(config: MCPConnectionOptions["config"]): string[] {
  if (typeof config !== "object" || config === null) return [];
  if ("url" in config) return secretValues({ ...config, url: String(config.url) });
  return secretValues({ env: config.env, args: Array.isArray(config.args) ? config.args.map(String) : [] });
}

type WithoutId<Config> = Config extends unknown ? Omit<Config, "id" | "timeouts"> : never;

function stdioConfig(name: string, config: StdioServerConfig): WithoutId<ServerConfig> {
  const { command, args, env, cwd, fromCommand } = config;
  if (typeof command !== "string" || command === "") {
    throw createConfigError(`server "${name}" has neither a command nor a url`);
  }
  return definedMembers({
    kind: "stdio" as const,
    command,
    args: Array.isArray(args) ? args.map(asText) : args,
    env: env && asTexts(env),
    cwd,
    fromCommand,
  });
}

function httpConfig(name: string, config: HttpServerConfig): WithoutId<ServerConfig> {
  const { url, headers, type, fromCommand, oauth } = config;
  if (!URL.canParse(String(url))) {
    throw createConfigError(`server "${name}": url is not valid; it must begin with http:// or https://`);
  }
  return definedMembers({
    kind: type ?? "streamable-http",
    url: String(url),
    onMismatch: type === undefined ? ("fallback" as const) : ("fail" as const),
    headers: headers && asTexts(headers),
    oauth,
    fromCommand,
  });
}

/** A program without types may pass a number for a string. The fleet accepts only strings. */
function asText(value: unknown): string {
  return (typeof value === "number" || typeof value === "boolean" ? String(value) : value) as string;
}

function asTexts(values: { readonly [name: string]: string }): { readonly [name: string]: string } {
  if (!isRecord(values)) return values;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, asText(value)]));
}

/** The times of one request. `totalMs` is the limit that progress does not extend. */
export interface RequestTimes {
  readonly timeoutMs: number;
  readonly totalMs: number;
}

export function requestTimes(timeout: number): RequestTimes {
  const timeoutMs = Math.min(timeout, MAX_MS);
  return { timeoutMs, totalMs: Math.max(timeoutMs, CALL_TOTAL_MS) };
}

/** The times of a call: with its own timeout, or else the client's. */
export function toolCallTimes(toolName: string, given: number | undefined, byDefault: number): RequestTimes {
  if (given !== undefined && !(given > 0))
    throw createInvalidParametersError(toolName, "timeout must be a positive number of milliseconds");
  return requestTimes(given ?? byDefault);
}

/** Removes the deadline of calls: the client sets one for each call. */
export function withoutCallDeadline(config: ServerConfig): ServerConfig {
  return { ...config, timeouts: { ...config.timeouts, callMs: MAX_MS, totalMs: MAX_MS } };
}
