import { readdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { isoTime } from "indusagi/core";
import type { WireEvent } from "indusagi/interop";
import { hashedName } from "../../state/index.ts";
import { lineFiles, parseLine } from "../../state/lines/index.ts";

/** What the log of a server keeps: its traffic, and the changes of its state. */
export type ServerEvent = WireEvent | { readonly kind: "state"; readonly text: string };

/** One event in the log of a server. */
export type ServerLogEntry = ServerEvent & {
  /** ISO 8601. */
  readonly at: string;
  readonly server: string;
  /** The process that wrote it: several commands may use a server at the same time. */
  readonly pid: number;
};

const KINDS: ReadonlySet<unknown> = new Set<ServerLogEntry["kind"]>([
  "stderr",
  "sent",
  "received",
  "dropped",
  "state",
]);

/** An event as a line of the file. */
export function entryLine(server: string, event: ServerEvent): string {
  return `${JSON.stringify({ at: isoTime(), server, pid: process.pid, ...event })}\n`;
}

/** The entry in a line. Undefined if the line is damaged: a power cut may leave half of one. */
export function parseLogEntry(line: string): ServerLogEntry | undefined {
  const value = parseLine(line);
  if (!value) return undefined;
  const { at, server, kind } = value;
  return typeof at === "string" && typeof server === "string" && KINDS.has(kind)
    ? (value as unknown as ServerLogEntry)
    : undefined;
}

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
