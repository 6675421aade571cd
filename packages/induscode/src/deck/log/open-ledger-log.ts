import { type Clock, type FileLock, isoTime, mintUlid, systemClock } from "indusagi/core";
import type { BridgeEntry } from "../ledger/index.ts";
import { BridgeLedger } from "../ledger/index.ts";
import { localLogDisk } from "./disk/local-log-disk.ts";
import type { LogDisk } from "./disk/log-disk.ts";
import { LedgerLogError, systemRefusal } from "./ledger-log-error.ts";
import { formatEntries } from "./record/format-entries.ts";
import { AppendQueue } from "./segment/append-queue.ts";
import { isSegmentId, segmentPath } from "./segment/ledger-segments.ts";
import { createSegment, type OpenSegment, reopenSegment } from "./segment/open-segment.ts";
import { lockSegment } from "./segment/segment-lock.ts";
import type { SetAside } from "./segment/set-aside-tail.ts";

export interface OpenLogOptions {
  /** Continue the segment with this id. Default: start a new segment, as every run does. */
  readonly segment?: string;
  readonly disk?: LogDisk;
  readonly clock?: Clock;
}

/** A ledger log, open for writing. */
export interface LedgerLog extends AsyncDisposable {
  /** The segment's ULID. */
  readonly segment: string;
  readonly path: string;
  /** The content of the segment when it was opened. */
  readonly ledger: BridgeLedger;
  /** The sequence number that the next entry must have. */
  readonly nextSeq: number;
  /** Present if an incomplete write was found and set aside. */
  readonly setAside?: SetAside;
  /**
   * Resolves when the entries are flushed to the disk; rejects with a `LedgerLogError` otherwise. Entries must be in the
   * order of their sequence numbers: a transition adds `after.log.slice(before.log.length)`. After a rejection `nextSeq`
   * shows which entries were written.
   */
  append(entries: readonly BridgeEntry[]): Promise<void>;
  /** Waits for pending writes, closes the file and releases the lock. */
  close(): Promise<void>;
}

/**
 * Opens the ledger log in a folder for one run. Any number of runs can write at once, each to its own segment; a segment
 * has one writer at a time. Rejects with a `LedgerLogError`: `locked`, `corrupt` with the offset, `no_space`, `read_only` …
 */
export async function openLedgerLog(folder: string, options: OpenLogOptions = {}): Promise<LedgerLog> {
  const { disk = localLogDisk, clock = systemClock, segment = mintUlid() } = options;
  const path = segmentPath(folder, segment);
  if (!isSegmentId(segment))
    throw new LedgerLogError("not_found", path, "cannot exist: the id of a segment is a ULID");
  let lock: FileLock | undefined;
  try {
    await disk.makeFolder(folder);
    lock = await lockSegment(disk, folder, segment);
    const title = { segment, pid: process.pid, at: isoTime(clock.nowMs()) };
    const place = { disk, folder, path };
    const opened = await (options.segment === undefined
      ? createSegment(place, title)
      : reopenSegment(place, title));
    return logOver(opened, { segment, path, lock });
  } catch (cause) {
    await lock?.release().catch(() => {});
    throw systemRefusal(path, "opened", cause);
  }
}

function logOver(
  { file, bytes, entries, setAside }: OpenSegment,
  { segment, path, lock }: { readonly segment: string; readonly path: string; readonly lock: FileLock },
): LedgerLog {
  const ledger = BridgeLedger.fromLog(entries);
  const queue = new AppendQueue({ path, format: formatEntries, file, bytes, lastSeq: ledger.nextSeq - 1 });
  let closing: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    await queue.end();
    try {
      await file.close();
      await lock.release();
    } catch (cause) {
      await lock.release().catch(() => {});
      throw systemRefusal(path, "closed", cause);
    }
  };
  const close = (): Promise<void> => (closing ??= end());
  return {
    segment,
    path,
    ledger,
    ...(setAside ? { setAside } : {}),
    get nextSeq() {
      return queue.nextSeq;
    },
    append: (added) => queue.append(added),
    close,
    [Symbol.asyncDispose]: close,
  };
}
