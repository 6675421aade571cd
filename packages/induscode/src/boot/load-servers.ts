import { relative, resolve } from "node:path";
import type { ConfigDiagnostic } from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";
import type { Terminal } from "./terminal.ts";

export interface LoadServersOptions {
  /** Go on without a required server whose row cannot be used, as with one that is not there. Default false. */
  readonly withoutRequired?: boolean;
}

/**
 * The servers that files named by hand describe; what is wrong with them goes to standard error, with file and line.
 * Nothing when a file, or the row of a required server, cannot be used: to go on without it would be to do something
 * else than was asked.
 */
export async function loadServers(
  files: readonly string[],
  terminal: Terminal,
  { withoutRequired = false }: LoadServersOptions = {},
): Promise<readonly ServerConfig[] | undefined> {
  if (files.length === 0) return [];
  const [{ loadServerConfigs }, { escapeForDisplay }] = await Promise.all([
    import("indusagi/config"),
    import("indusagi/core"),
  ]);
  const places = files.map((file) => ({ scope: "explicit" as const, file: resolve(file) }));
  const loaded = loadServerConfigs({ places });
  for (const diagnostic of loaded.diagnostics)
    terminal.err(`indus: ${escapeForDisplay(showDiagnostic(diagnostic))}\n`);
  const missing = withoutRequired ? [] : loaded.missing;
  for (const id of missing)
    terminal.err(
      `indus: server "${escapeForDisplay(id)}" is required and its row cannot be used; mend it, or write "required": false\n`,
    );
  const isUsable = missing.length === 0 && loaded.files.every(({ state }) => state === "read");
  return isUsable ? loaded.servers.map(({ config }) => config) : undefined;
}

function showDiagnostic({ severity, file = "", line, message }: ConfigDiagnostic): string {
  const near = relative("", file);
  const shown = near === "" || near.startsWith("..") ? file : near;
  return `${shown}:${line}: ${severity}: ${message}`;
}
