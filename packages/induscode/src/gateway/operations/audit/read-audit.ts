import { endOf, type LinePlace, readLines, readSince } from "../../../state/lines/index.ts";
import { auditPath } from "./audit-trail.ts";
import type { CallFilter, CallRecord } from "./call-record.ts";
import { parseCallRecord } from "./record-line.ts";

export interface AuditFilter extends CallFilter {
  /** Milliseconds since 1970. */
  readonly sinceMs?: number | undefined;
}

/** The audit trail in a state folder. */
export interface AuditRecords {
  /** The records, oldest first. Skips damaged lines. */
  read(filter?: AuditFilter): readonly CallRecord[];
  /** Each call of the returned function returns what was added since the last one. */
  follow(filter?: AuditFilter): () => readonly CallRecord[];
}

export function openAuditRecords(state: string): AuditRecords {
  const path = auditPath(state);
  return {
    read: (filter = {}) => recordsIn(readLines(path), filter),
    follow: (filter = {}) => {
      let place: LinePlace = endOf(path);
      return () => {
        const added = readSince(path, place);
        place = added.place;
        return recordsIn(added.text, filter);
      };
    },
  };
}

/** The records in lines. */
export function recordsIn(text: string, filter: AuditFilter = {}): CallRecord[] {
  const isWanted = wanted(filter);
  const isOld = olderThan(filter.sinceMs);
  return text.split("\n").flatMap((line) => {
    const record = line === "" || isOld(line) ? undefined : parseCallRecord(line);
    return record && isWanted(record) ? [record] : [];
  });
}

const START = '{"at":"';
const TIME_CHARS = "2026-11-15T09:30:00".length;

/** Whether a line is too old to be parsed, to the second. Lines begin with their time: most searches are for the newest. */
function olderThan(sinceMs: number | undefined): (line: string) => boolean {
  const date = new Date(sinceMs ?? 0);
  if (Number.isNaN(date.getTime())) return () => false;
  const since = date.toISOString().slice(0, TIME_CHARS);
  return (line) => line.startsWith(START) && line.slice(START.length, START.length + TIME_CHARS) < since;
}

const NO_TOKEN = "-";

function wanted(filter: AuditFilter): (record: CallRecord) => boolean {
  const { server, tool, principal, sinceMs, methods, outcomes } = filter;
  return (record) =>
    (server === undefined || record.server === server) &&
    (principal === undefined || (record.principal ?? NO_TOKEN) === principal) &&
    (sinceMs === undefined || Date.parse(record.at) >= sinceMs) &&
    (methods === undefined || methods.includes(record.method)) &&
    (outcomes === undefined || outcomes.includes(record.outcome)) &&
    (tool === undefined || (record.tool !== undefined && isNamed(record.tool, tool)));
}

function isNamed(name: string, pattern: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
