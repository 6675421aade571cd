import { relative, resolve } from "node:path";
import type { ConfigDiagnostic } from "indusagi/config";
import type { ServerConfig } from "indusagi/interop";
import type { Terminal } from "./terminal.ts";

/**
 * The servers that files named by hand describe; what is wrong with them goes to standard error, with file and line.
 * Nothing when a file cannot be used at all: to go on without it would be to do something else than was asked.
 */
export async function loadServers(
  files: readonly string[],
  terminal: Terminal,
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
  const isUsable = loaded.files.every(({ state }) => state === "read");
  return isUsable ? loaded.servers.map(({ config }) => config) : undefined;
}

function showDiagnostic({ severity, file = "", line, message }: ConfigDiagnostic): string {
  const near = relative("", file);
  const shown = near === "" || near.startsWith("..") ? file : near;
  return `${shown}:${line}: ${severity}: ${message}`;
}
