import { type Clock, type FileLock, isoTime, mintUlid, systemClock } from "indusagi/core";
import type { BridgeKey } from "../ledger/index.ts";
import { BridgeLedger } from "../ledger/index.ts";
import { localLogDisk } from "./disk/local-log-disk.ts";
import type { LogDisk } from "./disk/log-disk.ts";
import { LedgerLogError, systemRefusal } from "./ledger-log-error.ts";
import { EntryFormat, type LedgerItem, type RefusedEntry } from "./record/format-entries.ts";
import { AppendQueue } from "./segment/append-queue.ts";
import { isSegmentId, segmentPath } from "./segment/ledger-segments.ts";
import { createSegment, type OpenSegment, reopenSegment } from "./segment/open-segment.ts";
import { knownBodies } from "./segment/segment-bodies.ts";
import { lockSegment } from "./segment/segment-lock.ts";
import type { SetAside } from "./segment/set-aside-tail.ts";

export interface OpenLogOptions {
  /** Continue the segment with this id. Default: start a new segment, as every run does. */
  readonly segment?: string;
  readonly disk?: LogDisk;
  readonly clock?: Clock;
}

/** What became of appended items. */
export interface AppendResult {
  /** The entries that were not stored: not JSON, or too large even when cut. Their numbers stay unused. */
  readonly refused: readonly RefusedEntry[];
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
   * Resolves when the items are flushed to the disk; rejects with a `LedgerLogError` otherwise. Entries must be in the
   * order of their sequence numbers: a transition adds `after.log.slice(before.log.length)`. After a rejection `nextSeq`
   * shows which entries were written. An entry that cannot be stored is in the result; all others are stored.
   */
  append(items: readonly LedgerItem[]): Promise<AppendResult>;
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
    const known = await knownBodies(disk, folder);
    const title = { segment, pid: process.pid, at: isoTime(clock.nowMs()) };
    const place = { disk, folder, path };
    const opened = await (options.segment === undefined
      ? createSegment(place, title)
      : reopenSegment(place, title));
    for (const [id, key] of opened.stored) known.set(id, key);
    return logOver(opened, { segment, path, lock, known });
  } catch (cause) {
    await lock?.release().catch(() => {});
    throw systemRefusal(path, "opened", cause);
  }
}

interface LogParts {
  readonly segment: string;
  readonly path: string;
  readonly lock: FileLock;
  /** The bodies that are stored in this folder, with their keys. */
  readonly known: ReadonlyMap<string, BridgeKey>;
}

function logOver(
  { file, bytes, entries, lastRecord, setAside }: OpenSegment,
  { segment, path, lock, known }: LogParts,
): LedgerLog {
  const ledger = BridgeLedger.fromLog(entries);
  const format = new EntryFormat(path, ledger.nextSeq - 1, known);
  const queue = new AppendQueue<LedgerItem>({
    path,
    format: (_, items, nextRecord) => format.format(items, nextRecord),
    onRefused: () => format.rollBack(),
    file,
    bytes,
    lastSeq: lastRecord,
  });
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
      return format.nextSeq;
    },
    append: async (items) => {
      const flushed = queue.append(items);
      const refused = format.takeRefused();
      await flushed;
      return { refused };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
