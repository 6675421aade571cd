import { join } from "node:path";
import { LedgerLogError, type LogFile } from "../../ledger-log/index.ts";
import {
  AppendQueue,
  formatLogRecord,
  MAX_BODY_BYTES,
  recordBlocks,
  scanRecords,
  writeLogBytes,
} from "../../ledger-log/internal.ts";
import { CheckpointError, checkpointRefusal } from "../checkpoint-error.ts";
import type { CheckpointDisk } from "./checkpoint-disk.ts";
import { parseStoreRecord, parseStoreTitle, STORE_VERSION, type StoreRecord } from "./store-record.ts";
import { StoreView } from "./store-view.ts";

/** The records of one session, open for writing. */
export interface SessionLog {
  readonly view: StoreView;
  /** Resolves when the records are flushed; then the view has them too. */
  append(records: readonly StoreRecord[]): Promise<void>;
  close(): Promise<void>;
}

export interface SessionPlace {
  readonly disk: CheckpointDisk;
  readonly folder: string;
  /** A ULID. */
  readonly session: string;
}

export const sessionLogPath = ({ folder, session }: Omit<SessionPlace, "disk">): string =>
  join(folder, `${session}.log`);

/** Creates the log of a new session. A failure leaves no file. */
export async function createSessionLog(place: SessionPlace, at: number): Promise<SessionLog> {
  const { disk, folder, session } = place;
  const path = sessionLogPath(place);
  const file = await disk.open(path, "create");
  try {
    const title = formatLogRecord(0, JSON.stringify({ checkpoints: STORE_VERSION, session, at }));
    if (!title) throw new RangeError("the title of a session is too large");
    await writeLogBytes(file, title, 0);
    await file.sync();
    await disk.syncFolder(folder);
    return logOver(path, { file, bytes: title.length, lastSeq: 0 }, new StoreView());
  } catch (thrown) {
    await file.close().catch(() => {});
    await disk.remove(path).catch(() => {});
    throw thrown;
  }
}

/** Opens the log of an earlier session. Removes an incomplete write, which was never acknowledged. */
export async function reopenSessionLog(place: SessionPlace): Promise<SessionLog> {
  const path = sessionLogPath(place);
  const file = await place.disk.open(path, "write");
  try {
    const { view, goodBytes, size, lastSeq } = await scan(path, file);
    if (size > goodBytes) await file.truncate(goodBytes);
    await file.sync(); // The last writer may have been killed between a write and its flush.
    return logOver(path, { file, bytes: goodBytes, lastSeq }, view);
  } catch (thrown) {
    await file.close().catch(() => {});
    throw thrown;
  }
}

/** Reads the log of a session that may be in use by another process. */
export async function readSessionLog(place: SessionPlace): Promise<StoreView> {
  const path = sessionLogPath(place);
  const file = await place.disk.open(path, "read");
  try {
    return (await scan(path, file)).view;
  } finally {
    await file.close();
  }
}

interface Scanned {
  readonly view: StoreView;
  readonly size: number;
  readonly goodBytes: number;
  readonly lastSeq: number;
}

async function scan(path: string, file: LogFile): Promise<Scanned> {
  const view = new StoreView();
  const { damage, ...read } = await scanRecords(file, (seq, body) => {
    if (seq === 0)
      return parseStoreTitle(body) ? undefined : "the first record is not a title that this version can read";
    const record = parseStoreRecord(body);
    if (!record) return `record ${seq} is not one that this version can read`;
    view.apply(record);
    return undefined;
  });
  if (damage)
    throw new CheckpointError("corrupt", path, `is damaged at byte ${damage.offset}: ${damage.message}`);
  if (read.lastSeq < 0) throw new CheckpointError("corrupt", path, "has no title");
  return { ...read, view };
}

interface OpenFile {
  readonly file: LogFile;
  readonly bytes: number;
  readonly lastSeq: number;
}

function logOver(path: string, { file, bytes, lastSeq }: OpenFile, view: StoreView): SessionLog {
  const queue = new AppendQueue<StoreRecord>({ path, format, file, bytes, lastSeq });
  return {
    view,
    append: async (records) => {
      try {
        await queue.append(records);
      } catch (cause) {
        throw checkpointRefusal(path, "written", cause);
      }
      for (const record of records) view.apply(record);
    },
    close: async () => {
      await queue.end();
      await file.close();
    },
  };
}

function format(
  path: string,
  records: readonly StoreRecord[],
  nextSeq: number,
): ReturnType<typeof recordBlocks> {
  return recordBlocks(records, nextSeq, (record, seq) => {
    const bytes = formatLogRecord(seq, JSON.stringify(record));
    if (bytes) return bytes;
    throw new LedgerLogError("bad_entry", path, `cannot hold a record of more than ${MAX_BODY_BYTES} bytes`);
  });
}
