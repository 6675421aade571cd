import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { errorCode } from "../describe-error.ts";
import type { ProcessRow, ProcessTable } from "./process-identity.ts";

/** Linux: everything is read from /proc. Synchronous, because the files are in memory and a pass must be short. */
export const procProcessTable: ProcessTable = {
  list() {
    const rows: ProcessRow[] = [];
    for (const name of readdirSync("/proc")) {
      if (!isNumber(name)) continue;
      const row = readRow(name);
      if (row) rows.push(row);
    }
    return rows;
  },
  startTimeOf: (pid) => readRow(String(pid))?.startTime,
  environmentHolds(pid, text) {
    try {
      return readFileSync(`/proc/${pid}/environ`).includes(text);
    } catch {
      // Gone meanwhile, or another user's: then it could not be signalled either.
      return false;
    }
  },
};

/** Reads one line of `/proc/<pid>/stat`. The name in parentheses may itself hold spaces and parentheses. */
export function parseStat(text: string): ProcessRow | undefined {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group, session] = fields;
  const startTime = fields[STARTTIME_FIELD];
  if (state === undefined || startTime === undefined) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: Number(startTime),
    state: STATES[state] ?? "alive",
  };
}

/** `starttime` is the 22nd field of the line and so the 20th after the name. */
const STARTTIME_FIELD = 19;

const STATES: { readonly [letter: string]: ProcessRow["state"] } = {
  Z: "dead",
  X: "dead",
  x: "dead",
  T: "stopped",
  t: "stopped",
};

const line = Buffer.alloc(4096);

function readRow(pid: string): ProcessRow | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, "r");
    try {
      return parseStat(line.toString("latin1", 0, readSync(file, line, 0, line.length, 0)));
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    if (GONE.has(errorCode(thrown) ?? "")) return undefined;
    throw thrown;
  }
}

/** Between the listing and the reading a process may end; others may be hidden from us. */
const GONE: ReadonlySet<string> = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

function isNumber(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}
