import { dirname } from "node:path";
import { mintUlid } from "indusagi/core";
import type { BridgeEntry } from "../../ledger/index.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import { type LogDisk, type LogFile, readLogBytes, writeLogBytes } from "../log-disk.ts";
import { formatLogRecord } from "../record/log-record.ts";
import { LOG_VERSION, type SegmentTitle } from "../record/record-body.ts";
import { type LogReading, scanLog, type TornReading } from "../scan-log.ts";
import { findBodies } from "./segment-bodies.ts";

/** The file of a segment, ready for appending: its content is intact and flushed. */
export interface OpenSegment {
  readonly file: LogFile;
  /** The size of the file. */
  readonly bytes: number;
  readonly entries: readonly BridgeEntry[];
  /** The number of the last record. */
  readonly lastRecord: number;
  readonly setAside?: SetAside | undefined;
}

export interface SegmentPlace {
  readonly disk: LogDisk;
  readonly folder: string;
  readonly path: string;
}

type Title = Omit<SegmentTitle, "ledger">;

/** Creates a segment and writes its title. A failure leaves no file. */
export async function createSegment(
  { disk, folder, path }: SegmentPlace,
  title: Title,
): Promise<OpenSegment> {
  const file = await disk.open(path, "create");
  try {
    const bytes = await writeTitle(file, title);
    await disk.syncFolder(folder);
    return { file, bytes, entries: [], lastRecord: 0 };
  } catch (thrown) {
    await file.close().catch(() => {});
    await disk.remove(path).catch(() => {});
    throw thrown;
  }
}

/** Opens an existing segment. An incomplete write is set aside. A damaged segment is refused and not changed. */
export async function reopenSegment(place: SegmentPlace, title: Title): Promise<OpenSegment> {
  const { disk, path } = place;
  const file = await disk.open(path, "write");
  try {
    const entries: BridgeEntry[] = [];
    const sink = { onEntry: (entry: BridgeEntry) => void entries.push(entry) };
    const scan = await scanLog(file, sink, (ids) => findBodies(disk, place.folder, ids));
    const { reading } = scan;
    refuseDamage(path, reading);
    const setAside = reading.state === "torn" ? await setAsideTail({ disk, path }, file, reading) : undefined;
    const bytes = reading.title ? reading.goodBytes : await writeTitle(file, title);
    // The last writer may have been killed between a write and its flush, or right after renaming a compacted file.
    await file.sync();
    await disk.syncFolder(place.folder);
    const lastRecord = Math.max(0, scan.lastRecord);
    return { file, bytes, entries, lastRecord, setAside };
  } catch (thrown) {
    await file.close().catch(() => {});
    throw thrown;
  }
}

function refuseDamage(path: string, reading: LogReading): void {
  if (reading.state !== "corrupt") return;
  const { damage } = reading;
  throw new LedgerLogError("corrupt", path, `is damaged at byte ${damage.offset}: ${damage.message}`, {
    damage,
  });
}

async function writeTitle(file: LogFile, title: Title): Promise<number> {
  const record = formatLogRecord(0, JSON.stringify({ ledger: LOG_VERSION, ...title }));
  if (!record) throw new RangeError("the title of a segment is too large");
  await writeLogBytes(file, record, 0);
  await file.sync();
  return record.length;
}

/** The rest of an incomplete write, and the file it was moved to. */
export interface SetAside {
  readonly path: string;
  readonly bytes: number;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Moves the bytes after the last intact record into a separate file. The copy is flushed before the segment is truncated, so no
 * byte is ever lost.
 */
async function setAsideTail(
  { disk, path }: { readonly disk: LogDisk; readonly path: string },
  file: LogFile,
  { goodBytes, tornBytes }: TornReading,
): Promise<SetAside | undefined> {
  if (tornBytes === 0) return undefined;
  const folder = dirname(path);
  const aside = `${path}.${mintUlid()}.torn`;
  const copy = await disk.open(aside, "create");
  try {
    for (let done = 0; done < tornBytes; done += CHUNK_BYTES) {
      const piece = await readLogBytes(file, goodBytes + done, Math.min(CHUNK_BYTES, tornBytes - done));
      await writeLogBytes(copy, piece, done);
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
  await disk.syncFolder(folder);
  await file.truncate(goodBytes);
  await file.sync();
  return { path: aside, bytes: tornBytes };
}
