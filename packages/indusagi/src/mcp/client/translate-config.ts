import type { ServerConfig } from "../../interop/index.ts";
import type { HttpServerConfig, MCPConnectionOptions, StdioServerConfig } from "../contract/index.ts";
import { createConfigError } from "../errors/index.ts";

/** Milliseconds for connecting, for a listing and for a call, when nobody says otherwise. */
export const DEFAULT_TIMEOUT = 60_000;

/** Timers cannot wait longer than this. */
export const MAX_MS: number = 2 ** 31 - 10_000;

/** A facade's connection as interop's configuration, or a `CONFIG_ERROR` that names the server and what is wrong. */
export function toServerConfig({
  name,
  config,
  timeout = DEFAULT_TIMEOUT,
  includeTools,
  excludeTools,
}: MCPConnectionOptions): ServerConfig {
  if (typeof name !== "string" || name === "")
    throw createConfigError("a server without a name cannot be used");
  if (typeof config !== "object" || config === null) {
    throw createConfigError(`server "${name}" has no config; it names a command or a url`);
  }
  if (!Number.isFinite(timeout) || timeout <= 0) {
    throw createConfigError(`server "${name}": timeout must be a number of milliseconds above zero`);
  }
  const ms = Math.min(timeout, MAX_MS);
  const common = {
    id: name,
    timeouts: { connectMs: ms, listMs: ms, callMs: ms },
    ...(includeTools ? { includeTools } : {}),
    ...(excludeTools ? { excludeTools } : {}),
  };
  if ("url" in config) return { ...common, ...httpConfig(name, config) };
  return { ...common, ...stdioConfig(name, config) };
}

/** What a configuration holds that no error, log or status may show. Takes wrong shapes, too: it is asked about them. */
export function secretsOf(config: MCPConnectionOptions["config"]): string[] {
  if (typeof config !== "object" || config === null) return [];
  const isHttp = "url" in config;
  const values = Object.values((isHttp ? config.headers : config.env) ?? {}).map(String);
  // A header is mostly a scheme and a secret, and an error may quote the secret alone.
  const parts = values.flatMap((value) => [value, ...value.split(/\s+/).slice(1)]);
  return isHttp ? [...parts, ...secretsOfUrl(String(config.url))] : parts;
}

function secretsOfUrl(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [password, ...searchParams.values()].filter((value) => value !== "");
}

type WithoutId<Config> = Config extends unknown ? Omit<Config, "id" | "timeouts"> : never;

function stdioConfig(name: string, config: StdioServerConfig): WithoutId<ServerConfig> {
  const { command, args, env, cwd } = config;
  if (typeof command !== "string" || command === "") {
    throw createConfigError(`server "${name}" has neither a command nor a url`);
  }
  return {
    kind: "stdio",
    command,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

function httpConfig(name: string, { url, headers, type }: HttpServerConfig): WithoutId<ServerConfig> {
  if (!URL.canParse(String(url))) {
    throw createConfigError(`server "${name}": url is no address; it begins with http:// or https://`);
  }
  return {
    kind: type ?? "streamable-http",
    url: String(url),
    onMismatch: type === undefined ? "fallback" : "fail",
    ...(headers === undefined ? {} : { headers }),
  };
}
