import { isoTime } from "indusagi/core";
import type { WireEvent } from "indusagi/interop";
import { parseLine } from "../../state/lines/index.ts";

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
