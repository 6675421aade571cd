import { readdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { hashedName } from "../../state/index.ts";
import { lineFiles } from "../../state/lines/index.ts";

/** How many logs to keep. Beyond that the least recently written are removed. */
const MAX_LOGS = 100;

const NAME = /^[a-z0-9-]+-[0-9a-f]{16}\.log$/;

/** The log file of a server: readable, and different for each name. */
export function serverLogPath(folder: string, server: string): string {
  return join(folder, `${hashedName(server, server, "server")}.log`);
}

/** The paths of all logs in a folder. None if it does not exist. */
export function serverLogPaths(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Removes the oldest logs beyond `MAX_LOGS`. Never fails: another process may remove them at the same time. */
export function pruneLogs(folder: string, keep: number = MAX_LOGS): void {
  const paths = serverLogPaths(folder);
  if (paths.length <= keep) return;
  const files = paths.map((path) => ({
    path,
    writtenMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0,
  }));
  files.sort((a, b) => b.writtenMs - a.writtenMs);
  for (const { path } of files.slice(keep))
    for (const file of lineFiles(path)) {
      try {
        unlinkSync(file);
      } catch {
        // See above.
      }
    }
}
