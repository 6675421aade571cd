import { relative, resolve } from "node:path";
import { type ConfigDiagnostic, type ConfigRow, launchHash, loadServerConfigs } from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";

export interface LoadServersOptions {
  /** Called for each problem in the files, with one line. */
  readonly report: (message: string) => void;
  /** Continue without a required server whose row cannot be used. Default: false. */
  readonly withoutRequired?: boolean;
}

export interface LoadedServer {
  readonly config: ServerConfig;
  /** The hash of its launch as written, with its folder resolved: rows of two files may name different folders alike. */
  readonly launch: string;
}

/**
 * The servers in the configuration files named on the command line. Undefined if a file, or the row of a required server,
 * cannot be used: the user asked for it, so going on without it would be wrong.
 */
export function loadServers(
  files: readonly string[],
  { report, withoutRequired = false }: LoadServersOptions,
): readonly LoadedServer[] | undefined {
  const places = files.map((file) => ({ scope: "explicit" as const, file: resolve(file) }));
  const loaded = loadServerConfigs({ places });
  for (const diagnostic of loaded.diagnostics) report(showDiagnostic(diagnostic));
  const missing = withoutRequired ? [] : loaded.missing;
  for (const id of missing)
    report(`server "${id}" is required, but its row cannot be used; correct it or set "required": false`);
  const isUsable = missing.length === 0 && loaded.files.every(({ state }) => state === "read");
  return isUsable ? loaded.servers.map(loadedServer) : undefined;
}

function loadedServer({ config, written }: ConfigRow): LoadedServer {
  const cwd = config.kind === "stdio" ? config.cwd : undefined;
  return { config, launch: launchHash(cwd === undefined ? written : { ...written, cwd }) };
}

/** As compilers write it, so that editors can jump to the line. */
function showDiagnostic({ severity, file = "", line, message }: ConfigDiagnostic): string {
  const near = relative("", file);
  const shown = near === "" || near.startsWith("..") ? file : near;
  return `${shown}:${line}: ${severity}: ${message}`;
}
