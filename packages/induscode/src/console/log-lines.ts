import { type ServerLogEntry, showLogEntry } from "../servers/log/index.ts";
import type { ServerLogLine, TimelineEntry } from "./contract.ts";

/** A line of a server's log, as `indus mcp log` shows it, without its time. */
export function logLine(entry: ServerLogEntry): ServerLogLine {
  const shown = showLogEntry({ ...entry, at: "" }, { withServer: false });
  return { at: entry.at, server: entry.server, kind: entry.kind, text: shown.trim() };
}

const GOOD = /^(ready|dormant)\b/;
const BAD = /^(failed|faulted|stopped|list failed|needs|tripped)\b/;

/** The changes of a server's state, newest first. */
export function timelineOf(entries: readonly ServerLogEntry[], most: number): readonly TimelineEntry[] {
  const states = entries.filter(({ kind }) => kind === "state").slice(-most);
  return states.toReversed().map((entry) => {
    const { at, text } = logLine(entry);
    return { at, text, level: GOOD.test(text) ? "good" : BAD.test(text) ? "bad" : "plain" };
  });
}
