import { statSync } from "node:fs";
import { extname } from "node:path";
import {
  type ConfigDiagnostic,
  type ConfigRow,
  type LoadConfigOptions,
  type LoadedConfig,
  loadServerConfigs,
} from "../../config/index.ts";
import type { ServerConfig } from "../../interop/index.ts";
import type { MCPConnectionOptions, MCPServerConfig } from "../contract/index.ts";
import { translateConfigProblem } from "../errors/index.ts";
import { withoutEffect } from "./without-effect.ts";

export interface LoadMCPConfigOptions extends Pick<LoadConfigOptions, "env" | "home"> {
  /** Hears of every file, row and value that is not used as it stands. Default: a warning of this process. */
  readonly onDiagnostic?: (diagnostic: ConfigDiagnostic) => void;
}

/**
 * The servers of a file, or, given a folder, those of its project file, the user's and the two older places, the first
 * that names a server going before the others. It only reads: rows that a project brings are among them, and starting
 * them is for whoever trusts the project. A file named by hand that cannot be used at all is a `CONFIG_ERROR`.
 */
export function loadMCPConfig(
  path: string = process.cwd(),
  options: LoadMCPConfigOptions = {},
): MCPConnectionOptions[] {
  const { onDiagnostic = warn } = options;
  const { servers, diagnostics } = readMCPConfig(path, options);
  for (const diagnostic of diagnostics) onDiagnostic(diagnostic);
  // A project's row that nobody has approved takes no other row's place: the later of two is the user's own.
  const winners = new Map(servers.map((row) => [row.config.id, row]));
  return servers.filter((row) => winners.get(row.config.id) === row).map(toConnectionOptions);
}

/** The rows that are switched on, whole, with what there is to say about the others. */
export function readMCPConfig(
  path: string,
  options: LoadMCPConfigOptions & Pick<LoadConfigOptions, "isApproved"> = {},
): Pick<LoadedConfig, "servers" | "diagnostics"> {
  const { onDiagnostic: _, ...reading } = options;
  const loaded = loadServerConfigs({
    ...reading,
    ...(isFolder(path) ? { cwd: path } : { places: [{ scope: "explicit", file: path }] }),
  });
  const [file] = loaded.files;
  const [problem] = loaded.diagnostics;
  if (file?.scope === "explicit" && file.state !== "read" && problem) throw translateConfigProblem(problem);
  const servers = loaded.servers.filter(({ config }) => config.enabled !== false);
  return { servers, diagnostics: [...loaded.diagnostics, ...servers.flatMap(withoutEffect)] };
}

/** A diagnostic in one line, with its place. */
export function diagnosticLine({ file, line, message }: ConfigDiagnostic): string {
  return `${file === undefined ? "" : `${file}:${line}: `}${message}`;
}

/** A row as the facade's connection. */
export function toConnectionOptions({ config }: ConfigRow): MCPConnectionOptions {
  const { id: name, timeouts, includeTools, excludeTools } = config;
  return {
    name,
    config: toMCPServerConfig(config),
    ...(timeouts?.callMs === undefined ? {} : { timeout: timeouts.callMs }),
    ...(includeTools === undefined ? {} : { includeTools }),
    ...(excludeTools === undefined ? {} : { excludeTools }),
  };
}

function toMCPServerConfig(config: ServerConfig): MCPServerConfig {
  if (config.kind === "stdio") {
    const { command, args, env, cwd } = config;
    return {
      command,
      ...(args === undefined ? {} : { args }),
      ...(env === undefined ? {} : { env }),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }
  const { kind, url, headers, onMismatch } = config;
  const isPinned = kind === "sse" || onMismatch === "fail";
  return {
    url,
    ...(headers === undefined ? {} : { headers }),
    ...(isPinned ? { type: kind } : {}),
  };
}

/** What is not there is a file when it is called like one. */
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
