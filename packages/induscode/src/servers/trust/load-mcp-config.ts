import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type ConfigDiagnostic, loadServerConfigs } from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";
import type { DiscoverOptions } from "./discover-mcp-config.ts";
import { rowApproval } from "./row-approval.ts";

export interface LoadMcpConfigOptions extends DiscoverOptions {
  /** Called for each file, row and value that is not used as written. Default: a process warning. */
  readonly onDiagnostic?: (diagnostic: ConfigDiagnostic) => void;
}

/**
 * Reads the enabled servers of a file, or of the four places under a folder; if several name the same server, the first
 * wins, and the project's file is the first. Rows of the project are marked `pending`, so nothing starts them, unless
 * the store approves them. Naming a file here approves it. A file that cannot be read yields no servers and a diagnostic.
 * Never throws, starts nothing.
 */
export function loadMcpConfig(pathOrCwd: string, options: LoadMcpConfigOptions = {}): ServerConfig[] {
  const { trust, onDiagnostic = warn, ...reading } = options;
  const approval = rowApproval(trust, reading.env);
  const path = resolve(pathOrCwd);
  const loaded = loadServerConfigs({
    ...reading,
    isApproved: approval.isApproved,
    pendingFirst: true,
    ...(isFile(path) ? { places: [{ scope: "explicit", file: path }] } : { cwd: path }),
  });
  for (const diagnostic of [...loaded.diagnostics, ...approval.diagnostics()]) onDiagnostic(diagnostic);
  return loaded.servers.map(({ config }) => config).filter(({ enabled }) => enabled !== false);
}

/** Anything that exists and is not a folder: a pipe is reported, not taken for a project. */
function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function warn({ file = "", line, message }: ConfigDiagnostic): void {
  process.emitWarning(`${file}:${line}: ${message}`, { code: "INDUS_MCP_CONFIG" });
}
