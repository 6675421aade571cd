import { type Clock, type FileLock, isoTime, mintUlid, systemClock } from "indusagi/core";
import { BridgeLedger } from "../ledger/index.ts";
import { LedgerLogError, systemRefusal } from "./ledger-log-error.ts";
import { type LogDisk, localLogDisk } from "./log-disk.ts";
import {
  type CarriedBody,
  EntryFormat,
  type LedgerItem,
  type RefusedEntry,
} from "./record/format-entries.ts";
import type { BodyRecord } from "./record/record-body.ts";
import { AppendQueue } from "./segment/append-queue.ts";
import { compactSegment } from "./segment/compact-segment.ts";
import { isSegmentId, lockSegment, segmentPath } from "./segment/ledger-segments.ts";
import { createSegment, type OpenSegment, reopenSegment, type SetAside } from "./segment/open-segment.ts";
import { knownBodies } from "./segment/segment-bodies.ts";
import { type SweepOptions, type SweepResult, sweepSegments } from "./segment/sweep-segments.ts";

export interface OpenLogOptions {
  /** Continue the segment with this id. Default: start a new segment, as every run does. */
  readonly segment?: string;
  /** Removes repetitions from that segment first. Default false. */
  readonly compact?: boolean;
  readonly disk?: LogDisk;
  readonly clock?: Clock;
  /** Deletes old segments of ended runs first. Default: nothing is deleted. */
  readonly sweep?: SweepOptions;
}

/** The result of appending items. */
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
  /** The size of the segment. */
  readonly bytes: number;
  /** Present if `sweep` was set. */
  readonly swept?: SweepResult;
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
  let opened: OpenSegment | undefined;
  try {
    await disk.makeFolder(folder);
    lock = await lockSegment(disk, folder, segment);
    const title = { segment, pid: process.pid, at: isoTime(clock.nowMs()) };
    const place = { disk, folder, path };
    if (options.segment !== undefined && options.compact) await compactSegment(place);
    opened = await (options.segment === undefined
      ? createSegment(place, title)
      : reopenSegment(place, title));
    const format = new EntryFormat(path, BridgeLedger.fromLog(opened.entries).nextSeq - 1);
    const queue = queueOf(opened, path, format);
    const carry = (bodies: readonly BodyRecord[]): Promise<void> =>
      queue.append(bodies.map((record) => ({ op: "body", record })));
    const swept = options.sweep
      ? await sweepSegments({ ...options.sweep, disk, folder, clock, own: segment, carry })
      : undefined;
    // After the sweep, because bodies it deleted are no longer known.
    format.learn(await knownBodies(disk, folder));
    return logOver(opened, { segment, path, lock, format, queue, swept });
  } catch (cause) {
    await opened?.file.close().catch(() => {});
    await lock?.release().catch(() => {});
    throw systemRefusal(path, "opened", cause);
  }
}

interface LogParts {
  readonly segment: string;
  readonly path: string;
  readonly lock: FileLock;
  readonly format: EntryFormat;
  readonly queue: Queue;
  readonly swept: SweepResult | undefined;
}

type Queue = AppendQueue<LedgerItem | CarriedBody>;

function queueOf({ file, bytes, lastRecord }: OpenSegment, path: string, format: EntryFormat): Queue {
  return new AppendQueue({
    path,
    format: (_, items, nextRecord) => format.format(items, nextRecord),
    onRefused: () => format.rollBack(),
    file,
    bytes,
    lastSeq: lastRecord,
  });
}

function logOver(
  { file, entries, setAside }: OpenSegment,
  { segment, path, lock, format, queue, swept }: LogParts,
): LedgerLog {
  const ledger = BridgeLedger.fromLog(entries);
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
    ...(swept ? { swept } : {}),
    get nextSeq() {
      return format.nextSeq;
    },
    get bytes() {
      return queue.bytes;
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
