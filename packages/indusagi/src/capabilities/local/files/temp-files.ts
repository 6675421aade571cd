import { ulidTime } from "../../../core/index.ts";
import type { AnchoredDir } from "./anchored-dir.ts";
import type { Disk } from "./disk.ts";

const PATTERN = /^\.indus-(\d{1,10})-([0-7][0-9A-HJKMNP-TV-Z]{25})\.tmp$/;
/** No write takes this long: a maker that seems alive has only inherited a dead one's process number. */
const MAX_WRITE_MS = 60 * 60 * 1000;

/** The name of a temporary file: it tells who made it and when, so that leftovers of a killed process can be told apart. */
export function tempName(pid: number, ulid: string): string {
  return `.indus-${pid}-${ulid}.tmp`;
}

export interface SweepOptions {
  /** Younger files are left alone: their maker may sit on another machine that shares the folder. */
  readonly olderThanMs: number;
  readonly nowMs: number;
}

/** Removes temporary files that killed processes left in a directory. Never fails: a leftover is only untidy. */
export async function sweepTempFiles(disk: Disk, dir: AnchoredDir, options: SweepOptions): Promise<void> {
  try {
    for (const { name } of await disk.readdir(dir.self)) {
      if (isLeftover(name, options)) await disk.unlink(dir.child(name)).catch(() => {});
    }
  } catch {
    // See above.
  }
}

/** Whether a name is that of a temporary file whose maker is gone. */
export function isLeftover(name: string, { olderThanMs, nowMs }: SweepOptions): boolean {
  const [, pid, ulid] = PATTERN.exec(name) ?? [];
  if (pid === undefined || ulid === undefined) return false;
  const madeMs = ulidTime(ulid);
  if (nowMs - madeMs <= olderThanMs) return false;
  // In a container every run may have the same process number: ours made nothing before it was started.
  if (Number(pid) === process.pid) return madeMs < nowMs - process.uptime() * 1000;
  return nowMs - madeMs > MAX_WRITE_MS || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}
