import { type FileLock, type LockDisk, type LockRefusal, tryFileLock } from "indusagi/core";
import { LedgerLogError } from "../ledger-log-error.ts";
import type { LogDisk } from "../log-disk.ts";
import { segmentPath } from "./ledger-segments.ts";

/** The name of the lock that a run holds while it deletes old segments. */
export const SWEEP_LOCK = "sweep";

/** Adapts the disk of a log for its locks. */
export function lockDisk(disk: LogDisk): LockDisk {
  return {
    create: async (path) => (await disk.open(path, "create")).close(),
    list: (folder) => disk.list(folder),
    remove: (path) => disk.remove(path),
  };
}

/** Locks a segment for writing, or rejects with `locked` if a running process holds it. */
export async function lockSegment(disk: LogDisk, folder: string, segment: string): Promise<FileLock> {
  const lock = await tryFileLock({ folder, name: segment, disk: lockDisk(disk) });
  if ("release" in lock) return lock;
  throw new LedgerLogError("locked", segmentPath(folder, segment), describe(lock));
}

function describe(refusal: LockRefusal): string {
  return refusal.reason === "contended"
    ? "is being claimed by several writers at once; try again"
    : `is being written by process ${refusal.pid}; if that process no longer exists, remove ${refusal.path}`;
}
