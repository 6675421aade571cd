import { mintUlid, ulidTime } from "../ulid.ts";
import type { FileDisk, FileFolder } from "./disk.ts";
import { type Steps, stepResult } from "./steps.ts";

const PATTERN = /^\.indus-(\d{1,10})-([0-7][0-9A-HJKMNP-TV-Z]{25})\.tmp$/;
/** No write takes this long: a process that still has the maker's pid is another process. */
const MAX_WRITE_MS = 60 * 60 * 1000;

/** A new name for a temporary file, with its maker's pid and the time for `isLeftover`. */
export function tempName(pid: number = process.pid, ulid: string = mintUlid()): string {
  return `.indus-${pid}-${ulid}.tmp`;
}

/** Whether `tempName` made a name. */
export function isTempName(name: string): boolean {
  return PATTERN.test(name);
}

export interface LeftoverOptions {
  /** Younger files are kept: their maker may run on another machine that shares the folder. Default one minute. */
  readonly olderThanMs?: number | undefined;
  readonly nowMs?: number;
}

/** Removes temporary files that killed processes left in a folder. Never fails: a leftover is harmless. */
export function* sweepSteps(disk: FileDisk, folder: FileFolder, options: LeftoverOptions = {}): Steps<void> {
  try {
    for (const { name } of yield* stepResult(disk.readdir(folder.self))) {
      if (isLeftover(name, options)) yield* removeSteps(disk, folder.child(name));
    }
  } catch {
    // See above.
  }
}

/** Whether a name is that of a temporary file whose maker has ended. */
export function isLeftover(
  name: string,
  { olderThanMs = 60_000, nowMs = Date.now() }: LeftoverOptions = {},
): boolean {
  const [, pid, ulid] = PATTERN.exec(name) ?? [];
  if (pid === undefined || ulid === undefined) return false;
  const madeMs = ulidTime(ulid);
  if (nowMs - madeMs <= olderThanMs) return false;
  // In a container every run may have the same pid; this process made nothing before it started.
  if (Number(pid) === process.pid) return madeMs < nowMs - process.uptime() * 1000;
  return nowMs - madeMs > MAX_WRITE_MS || !isAlive(Number(pid));
}

/** Removes a file if it is there and can be removed. */
export function* removeSteps(disk: FileDisk, path: string): Steps<boolean> {
  try {
    yield* stepResult(disk.unlink(path));
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
