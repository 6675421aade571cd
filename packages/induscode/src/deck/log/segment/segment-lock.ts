import { type FileLock, type LockRefusal, tryFileLock } from "indusagi/core";
import type { LogDisk } from "../disk/log-disk.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import { segmentPath } from "./ledger-segments.ts";

/** Locks a segment for writing, or rejects with `locked` if a running process holds it. */
export async function lockSegment(disk: LogDisk, folder: string, segment: string): Promise<FileLock> {
  const create = async (path: string): Promise<void> => (await disk.open(path, "create")).close();
  const { list, remove } = { list: disk.list.bind(disk), remove: disk.remove.bind(disk) };
  const lock = await tryFileLock({ folder, name: segment, disk: { create, list, remove } });
  if ("release" in lock) return lock;
  throw new LedgerLogError("locked", segmentPath(folder, segment), describe(lock));
}

function describe(refusal: LockRefusal): string {
  return refusal.reason === "contended"
    ? "is being claimed by several writers at once; try again"
    : `is being written by process ${refusal.pid}; if that process no longer exists, remove ${refusal.path}`;
}
