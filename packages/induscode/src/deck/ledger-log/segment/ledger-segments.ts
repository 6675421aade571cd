import { join } from "node:path";
import { errorCode, type FileLock, type LockDisk, type LockRefusal, tryFileLock } from "indusagi/core";
import { LedgerLogError, systemRefusal } from "../ledger-log-error.ts";
import { type LogDisk, localLogDisk } from "../log-disk.ts";

/** One segment in the folder of a ledger: the entries of one run. */
export interface LedgerSegment {
  /** A ULID, which contains the time at which the run started. */
  readonly id: string;
  readonly path: string;
}

const SEGMENT_NAME = /^([0-9A-HJKMNP-TV-Z]{26})\.log$/;

/** Whether a text has the form of a segment id, which is safe in a file name. */
export function isSegmentId(text: string): boolean {
  return SEGMENT_NAME.test(`${text}.log`);
}

/** The file of the segment with this id. */
export function segmentPath(folder: string, id: string): string {
  return join(folder, `${id}.log`);
}

/** The segments in a folder, the oldest run first. A missing folder has none. */
export async function listLedgerSegments(
  folder: string,
  { disk = localLogDisk }: { readonly disk?: LogDisk } = {},
): Promise<LedgerSegment[]> {
  try {
    const ids = (await disk.list(folder)).flatMap((name) => SEGMENT_NAME.exec(name)?.[1] ?? []);
    return ids.sort().map((id) => ({ id, path: segmentPath(folder, id) }));
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return [];
    throw systemRefusal(folder, "listed", cause);
  }
}

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
