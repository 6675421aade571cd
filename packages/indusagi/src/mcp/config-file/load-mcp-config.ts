import { statSync } from "node:fs";
import { extname } from "node:path";
import {
  type ConfigDiagnostic,
  type ConfigRow,
  type LoadConfigOptions,
  type LoadedConfig,
  loadServerConfigs,
} from "../../config/index.ts";
import { escapeForDisplay } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type { ServerConfig } from "../../interop/index.ts";
import { DEFAULT_TIMEOUT, requestTimes } from "../client/index.ts";
import type { MCPConnectionOptions, MCPServerConfig } from "../contract/index.ts";
import { translateConfigProblem } from "../errors/index.ts";

export interface LoadMCPConfigOptions extends Pick<LoadConfigOptions, "env" | "home"> {
  /**
   * Trust the project's own file. Default false: its servers are marked `pending` and not started, because the author of
   * a cloned folder must not decide which programs run on this machine.
   */
  readonly trustProject?: boolean;
  /** Called for every file, row and value that is not used as written. Default: a process warning. */
  readonly onDiagnostic?: (diagnostic: ConfigDiagnostic) => void;
}

/**
 * Reads the servers of a file, or for a folder those of its project file, the user's file and the two legacy files; if several
 * name the same server, the first wins. It starts nothing. Servers of the project file are marked `pending`
 * unless `trustProject` is true: a client or pool does not start them. Throws a `CONFIG_ERROR` if `path` is a file that cannot be read.
 */
export function loadMCPConfig(
  path: string = process.cwd(),
  options: LoadMCPConfigOptions = {},
): MCPConnectionOptions[] {
  const { onDiagnostic = warn } = options;
  const { servers, diagnostics } = readMCPConfig(path, { ...options, pendingFirst: true });
  for (const diagnostic of diagnostics) onDiagnostic(diagnostic);
  return servers.map(toConnectionOptions);
}

/** Reads the enabled rows, and the diagnostics about all of them. */
export function readMCPConfig(
  path: string,
  options: LoadMCPConfigOptions & Pick<LoadConfigOptions, "pendingFirst"> = {},
): Pick<LoadedConfig, "servers" | "diagnostics"> {
  const { onDiagnostic: _, trustProject = false, ...reading } = options;
  const loaded = loadServerConfigs({
    ...reading,
    isApproved: () => trustProject,
    ...(isFolder(path) ? { cwd: path } : { places: [{ scope: "explicit", file: path }] }),
  });
  const [file] = loaded.files;
  const [problem] = loaded.diagnostics;
  if (file?.scope === "explicit" && file.state !== "read" && problem) throw translateConfigProblem(problem);
  const servers = loaded.servers.filter(({ config }) => config.enabled !== false);
  return { servers, diagnostics: [...loaded.diagnostics, ...servers.flatMap(ignoredSettings)] };
}

/** Formats a diagnostic as one line with file and line number. */
export function diagnosticLine({ file, line, message }: ConfigDiagnostic): string {
  return `${file === undefined ? "" : `${file}:${line}: `}${message}`;
}

/** Converts a row to connection options. */
export function toConnectionOptions({ config }: ConfigRow): MCPConnectionOptions {
  const { id: name, timeouts, includeTools, excludeTools, toolOverrides, passBaggage, pending } = config;
  return definedMembers({
    name,
    config: toMCPServerConfig(config),
    timeout: timeouts?.callMs,
    includeTools,
    excludeTools,
    toolOverrides,
    passBaggage,
    pending: pending || undefined,
  });
}

function toMCPServerConfig(config: ServerConfig): MCPServerConfig {
  if (config.kind === "stdio") {
    const { command, args, env, cwd, fromCommand } = config;
    return definedMembers({ command, args, env, cwd, fromCommand });
  }
  const { kind, url, headers, onMismatch, fromCommand, oauth } = config;
  const isPinned = kind === "sse" || onMismatch === "fail";
  return definedMembers({ url, headers, oauth, fromCommand, type: isPinned ? kind : undefined });
}

/** A path that does not exist counts as a file if it has an extension. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return extname(path) === "";
  }
}

function warn(diagnostic: ConfigDiagnostic): void {
  process.emitWarning(diagnosticLine(diagnostic), { code: "INDUS_MCP_CONFIG" });
}

const TIMES = ["connectMs", "listMs", "totalMs"] as const;

/** Warns about the settings of a row that the facade ignores: a client has one timeout, and no server is required. */
function ignoredSettings({ config, source }: ConfigRow): readonly ConfigDiagnostic[] {
  const { id, timeouts = {}, required, share = "fleet", pin, lazy, idleMs, connectors } = config;
  const { timeoutMs, totalMs } = requestTimes(timeouts.callMs ?? DEFAULT_TIMEOUT);
  const used = { connectMs: timeoutMs, listMs: timeoutMs, totalMs };
  const messages = [
    ...TIMES.filter((name) => timeouts[name] !== undefined && timeouts[name] !== used[name]).map(
      (name) =>
        `"timeouts.${name}" is ignored here; set "timeout", which applies to connecting, listing and calls`,
    ),
    ...(required ? ['"required" is ignored here; check the status of the pool'] : []),
    ...(share === "fleet" ? [] : ['"share" is ignored here; create one client per user or session']),
    ...(pin === undefined ? [] : ['"pin" is ignored here; the product indus keeps the approved tools']),
    ...(lazy ? ['"lazy" is ignored here; connect to the server when it is needed'] : []),
    ...(idleMs === undefined ? [] : ['"idleMs" is ignored here; set "supervision" of the pool']),
    ...(connectors ? ['"connectors" is ignored here; sessions of the product indus use it'] : []),
  ];
  const { scope: _, ...place } = source;
  return messages.map((message) => ({
    ...place,
    severity: "warning",
    path: [],
    message: `server "${escapeForDisplay(id)}": ${message}`,
  }));
}
