import type * as nodeFs from "node:fs";
import { errorCode } from "../../core-error.ts";
import { COOKIE_NAME, type ProcessRow, type ProcessTable } from "./process-identity.ts";

/** Loaded on first use: every import of core would otherwise load the streams that come with it. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs");

/** Linux: reads /proc. Synchronous, because these files are in memory and a scan must be fast. */
export const procProcessTable: ProcessTable = {
  list: () => listProc(() => undefined),
  listKnown: () => {
    const oldMs = performance.now() - SETTLED_MS;
    return listProc((pid) => {
      const known = knownRows.get(pid);
      return known && known.sinceMs < oldMs ? known : undefined;
    });
  },
  startTimeOf: (pid) => readProcRow(pid)?.startTime,
  cookiesOf: ({ pid, startTime }) => {
    const known = knownCookies.get(pid);
    if (known?.startTime === startTime) return known.cookies;
    const cookies = readCookies(pid);
    if (cookies !== undefined) knownCookies.set(pid, { startTime, cookies });
    return cookies;
  },
};

/**
 * What was read about each process, and when it was seen first. A process that is not in a tree never joins one later, and what
 * starts it is known by then, except that it may be in the middle of a fork or an exec when it is read; so it is read again until
 * it has been seen for a while. A pid comes back only after all others were used.
 */
const knownRows = new Map<number, KnownRow>();
const SETTLED_MS = 300;

interface KnownRow {
  /** Kernel threads and hidden processes have none. */
  readonly row: ProcessRow | undefined;
  readonly sinceMs: number;
}

function listProc(knownRow: (pid: number) => KnownRow | undefined): ProcessRow[] {
  const nowMs = performance.now();
  const rows: ProcessRow[] = [];
  const pids = new Set<number>();
  for (const name of fs().readdirSync("/proc")) {
    if (!isNumber(name)) continue;
    const pid = Number(name);
    pids.add(pid);
    const known = knownRow(pid);
    const row = known ? known.row : readProcRow(name);
    if (row) rows.push(row);
    if (known) continue;
    if (knownCookies.get(pid)?.cookies === "") knownCookies.delete(pid);
    const before = knownRows.get(pid);
    const isSame = before && before.row?.startTime === row?.startTime;
    knownRows.set(pid, { row, sinceMs: isSame ? before.sinceMs : nowMs });
  }
  for (const kept of [knownRows, knownCookies])
    for (const pid of kept.keys()) if (!pids.has(pid)) kept.delete(pid);
  return rows;
}

/**
 * The cookies that were found, because each scan of each tree looks at the processes of all other trees. A process never
 * gets the cookie of another tree, so one with a cookie is read once; one without is read again whenever its row is.
 */
const knownCookies = new Map<number, { readonly startTime: number; readonly cookies: string }>();

function readCookies(pid: number): string | undefined {
  try {
    const environment = fs().readFileSync(`/proc/${pid}/environ`);
    if (environment.length > 0) return cookiesIn(environment);
    // During exec a process has neither arguments nor environment for a moment.
    if (fs().readFileSync(`/proc/${pid}/cmdline`).length === 0) return undefined;
    return cookiesIn(fs().readFileSync(`/proc/${pid}/environ`));
  } catch {
    // It has ended, or belongs to another user and cannot be signalled either.
    return "";
  }
}

function cookiesIn(environment: Buffer): string {
  const start = environment.indexOf(`${COOKIE_NAME}=`);
  if (start < 0) return "";
  const end = environment.indexOf(0, start);
  return environment.toString("latin1", start, end < 0 ? environment.length : end);
}

/**
 * Parses `/proc/<pid>/stat`. The name in parentheses may itself contain spaces and parentheses.
 * Returns nothing for kernel threads: they belong to no tree and have no environment.
 */
export function parseStat(text: string): ProcessRow | undefined {
  const fields = fieldsOf(text);
  const [state = "", parent, group, session] = fields;
  const startTime = fields[FIELD.startTime];
  if (startTime === undefined || (Number(fields[FIELD.flags]) & KERNEL_THREAD) !== 0) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: Number(startTime),
    state: stateOf(state, Number(fields[FIELD.threads])),
  };
}

/** The fields up to the last one that we use. Each scan reads them of all processes, and there are 50. */
function fieldsOf(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ", FIELD.startTime + 1);
}

/** Indexes after the name. The manual counts from 1 and includes pid and name, so its numbers are higher by 3. */
const FIELD = { flags: 6, userTime: 11, childrenSystemTime: 14, threads: 17, startTime: 19 } as const;
const KERNEL_THREAD = 0x00200000;
const DEAD: ReadonlySet<string> = new Set(["Z", "X", "x"]);
const STOPPED: ReadonlySet<string> = new Set(["T", "t"]);

function stateOf(letter: string, threads: number): ProcessRow["state"] {
  // A process whose first thread has ended looks like a zombie while its other threads run.
  if (DEAD.has(letter)) return threads > 1 ? "alive" : "dead";
  return STOPPED.has(letter) ? "stopped" : "alive";
}

/** CPU use of a process and its descendants. */
export interface ProcessorUse {
  /** Clock ticks since the start, including those of ended children. Only for comparison. */
  readonly ticks: number;
  /** One of them is running, runnable, or waiting for the disk. */
  readonly isActive: boolean;
}

/** More processes take too long to scan every few milliseconds. */
const MAX_LOOKED_AT = 100;
const ACTIVE: ReadonlySet<string> = new Set(["R", "D"]);

/** Reads /proc for one tree only; calls `onProcess` for each process of it. `undefined` if that is impossible. */
export function readProcessorUse(
  root: number,
  onProcess?: (pid: number | string) => void,
): ProcessorUse | undefined {
  const pids: (number | string)[] = [root];
  let ticks = 0;
  let isActive = false;
  try {
    for (let at = 0; at < pids.length; at++) {
      if (at === MAX_LOOKED_AT) return undefined;
      const pid = pids[at] as number | string;
      const text = readStat(pid);
      if (text === undefined && at === 0) return undefined;
      if (text === undefined) continue; // It has ended; its parent now counts its ticks.
      const [state = "", ...fields] = fieldsOf(text);
      isActive ||= ACTIVE.has(state);
      // From the user time of the process to the system time of its ended children. `state` was the first field.
      for (const used of fields.slice(FIELD.userTime - 1, FIELD.childrenSystemTime)) ticks += Number(used);
      onProcess?.(pid);
      pids.push(...childrenOf(pid));
    }
  } catch {
    return undefined; // The kernel does not list children.
  }
  return { ticks, isActive };
}

/** The memory and the processor time of a process and its descendants. */
export interface TreeUse {
  readonly processes: number;
  readonly memoryBytes: number;
  /** Since the start, including that of ended children. */
  readonly cpuMs: number;
}

const PAGE_BYTES = 4096;
/** Linux has counted in these ticks since 2.6, whatever the kernel's own are. */
const TICK_MS = 10;

/** Reads /proc for one tree. Undefined where there is none, and for a tree that has ended. */
export function readTreeUse(root: number): TreeUse | undefined {
  let processes = 0;
  let memoryBytes = 0;
  const use = readProcessorUse(root, (pid) => {
    processes += 1;
    memoryBytes += memoryOf(pid);
  });
  return use && { processes, memoryBytes, cpuMs: use.ticks * TICK_MS };
}

/** Resident memory without what is shared with other processes, such as libraries. Zero if the process has ended. */
function memoryOf(pid: number | string): number {
  try {
    const [, resident = 0, shared = 0] = fs()
      .readFileSync(`/proc/${pid}/statm`, "latin1")
      .split(" ")
      .map(Number);
    return (resident - shared) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

/** What a process and its descendants do. */
export interface TreeWork extends ProcessorUse {
  /** Bytes read and written since the start, including those of ended children. Some reads from sockets are not counted. */
  readonly bytes: number;
  /** One of them has a socket besides its standard streams. Node gives its children sockets as standard streams. */
  readonly hasSocket: boolean;
}

/** As `readProcessorUse`, with input and output. It reads several files for each process. */
export function readTreeWork(root: number): TreeWork | undefined {
  let bytes = 0;
  let hasSocket = false;
  const use = readProcessorUse(root, (pid) => {
    bytes += bytesOf(pid);
    hasSocket ||= holdsSocket(pid);
  });
  return use && { ...use, bytes, hasSocket };
}

/** Zero for a process of another user, whose files cannot be read. */
function bytesOf(pid: number | string): number {
  try {
    const text = fs().readFileSync(`/proc/${pid}/io`, "latin1");
    return [...text.matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
  } catch {
    return 0;
  }
}

const STANDARD_STREAMS: ReadonlySet<string> = new Set(["0", "1", "2"]);

function holdsSocket(pid: number | string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return fs()
      .readdirSync(folder)
      .some((name) => !STANDARD_STREAMS.has(name) && isSocket(`${folder}/${name}`));
  } catch {
    return false; // It has ended, or belongs to another user.
  }
}

function isSocket(descriptor: string): boolean {
  try {
    return fs().readlinkSync(descriptor).startsWith("socket:");
  } catch {
    return false; // Closed meanwhile.
  }
}

/** A child belongs to the thread that started it. */
function childrenOf(pid: number | string): string[] {
  return fs()
    .readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => fs().readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" "))
    .filter((child) => child !== "");
}

/** The row of one process; `undefined` when it has ended or is hidden from us. */
export function readProcRow(pid: number | string): ProcessRow | undefined {
  const text = readStat(pid);
  return text === undefined ? undefined : parseStat(text);
}

const line = Buffer.alloc(4096);

function readStat(pid: number | string): string | undefined {
  try {
    const file = fs().openSync(`/proc/${pid}/stat`, "r");
    try {
      return line.toString("latin1", 0, fs().readSync(file, line, 0, line.length, 0));
    } finally {
      fs().closeSync(file);
    }
  } catch (thrown) {
    if (GONE.has(errorCode(thrown) ?? "")) return undefined;
    throw thrown;
  }
}

/** A process may end between listing and reading, or be hidden from us. */
const GONE: ReadonlySet<string> = new Set(["ENOENT", "ESRCH", "EACCES", "EPERM"]);

function isNumber(name: string): boolean {
  const first = name.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}
