import type {
  ConnectionSharing,
  OAuthSettings,
  PinLevel,
  ServerConfig,
  ServerTimeouts,
  ToolOverride,
} from "../../interop/contract/index.ts";

/** A value, or the command that writes it. */
export type EntryValue = string | { readonly fromCommand: readonly string[] };

/** One row of a file. Members that are `undefined` are not written. */
export interface ServerEntry {
  /** The id, in a list of rows; in an object the key is the id. */
  readonly name?: string | undefined;
  /** Fixes the transport; without it a `url` is tried as Streamable HTTP and then as SSE. */
  readonly type?: "stdio" | "http" | "sse" | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: { readonly [name: string]: EntryValue } | undefined;
  readonly envFile?: string | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: { readonly [name: string]: EntryValue } | undefined;
  readonly oauth?: OAuthSettings | false | undefined;
  /** For one call, in milliseconds. */
  readonly timeout?: number | undefined;
  readonly timeouts?: ServerTimeouts | undefined;
  readonly enabled?: boolean | undefined;
  readonly includeTools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
  readonly toolOverrides?: { readonly [tool: string]: ToolOverride } | undefined;
  readonly required?: boolean | undefined;
  readonly share?: ConnectionSharing | undefined;
  readonly pin?: PinLevel | undefined;
  readonly lazy?: boolean | undefined;
  readonly idleMs?: number | undefined;
  readonly connectors?: boolean | undefined;
  readonly passBaggage?: boolean | undefined;
  readonly extensionMethods?: readonly string[] | undefined;
}

/** A whole file: its rows as a list or by name. */
export interface ServerConfigFile {
  readonly servers: readonly ServerEntry[] | { readonly [name: string]: ServerEntry };
}

/**
 * The row for a configuration. Strings are written as they are: a `${NAME}` in them is a reference when the file is read
 * again. A row cannot express SSE with fallback; it becomes SSE without fallback.
 */
export function projectServerEntry(config: ServerConfig): ServerEntry {
  const { id, enabled, required, share, timeouts, lazy, idleMs, connectors } = config;
  const { includeTools, excludeTools, toolOverrides, pin, passBaggage, extensionMethods } = config;
  const tools = { includeTools, excludeTools, toolOverrides, pin };
  const common = {
    name: id,
    enabled,
    required,
    share,
    timeouts,
    ...tools,
    lazy,
    idleMs,
    connectors,
    passBaggage,
    extensionMethods,
  };
  if (config.kind === "stdio") {
    const { command, args, env, cwd } = config;
    return { ...common, command, args, env: withCommands(env, config), cwd };
  }
  const { kind, url, headers, onMismatch, oauth } = config;
  const pinned = kind === "sse" ? "sse" : onMismatch === "fail" ? "http" : undefined;
  return { ...common, type: pinned, url, headers: withCommands(headers, config), oauth };
}

function withCommands(
  values: { readonly [name: string]: string } | undefined,
  { fromCommand }: ServerConfig,
): ServerEntry["env"] {
  if (!fromCommand) return values;
  const commands = Object.entries(fromCommand).map(([name, command]) => [name, { fromCommand: command }]);
  return { ...values, ...Object.fromEntries(commands) };
}
