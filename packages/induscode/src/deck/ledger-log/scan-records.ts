import type { LogDamage } from "./ledger-log-error.ts";
import { type LogFile, readLogBytes } from "./log-disk.ts";
import { type RecordHead, readLogRecord } from "./record/log-record.ts";

/** The result of reading the records of a file. */
export interface RecordsReading {
  /** The size of the file. */
  readonly size: number;
  /** The number of bytes, from the start, that are intact records. */
  readonly goodBytes: number;
  /** The number of the last intact record. -1 if there is none. */
  readonly lastSeq: number;
  /** Why reading stopped before the end, unless the rest is one record that was cut off. */
  readonly damage?: LogDamage;
}

/** Called with each intact record, in order. Returns a message if the content is unknown, which stops the scan. */
export type RecordListener = (seq: number, body: string) => string | undefined;

/** Reads a file of records from start to end, one at a time, and stops at the first that is not intact. */
export async function scanRecords(file: LogFile, onRecord: RecordListener): Promise<RecordsReading> {
  const size = await file.size();
  const end = await contentEnd(file, size);
  const window = new ByteWindow(file, size);
  let goodBytes = 0;
  let last: RecordHead | undefined;
  while (goodBytes < end) {
    const left = end - goodBytes;
    let read = readLogRecord(window.held, window.indexOf(goodBytes), left);
    // At most twice: for the head, then for the rest of a long record.
    while (read.found === "more") {
      const isLoaded = await window.load(goodBytes, read.bytes);
      // If not loaded, the file was truncated meanwhile.
      read = isLoaded ? readLogRecord(window.held, window.indexOf(goodBytes), left) : { found: "cut" };
    }
    if (read.found === "cut") break;
    const fault = read.found === "damage" ? read : faultOf(read, last, onRecord);
    if (fault) {
      const damage = { kind: fault.kind, offset: goodBytes, message: fault.message };
      return { size, goodBytes, lastSeq: last?.seq ?? -1, damage };
    }
    if (read.found === "record") last = read.head;
    goodBytes += last?.totalBytes ?? 0;
  }
  return { size, goodBytes, lastSeq: last?.seq ?? -1 };
}

type Fault = Omit<LogDamage, "offset">;

function faultOf(
  { head, body }: { readonly head: RecordHead; readonly body: string },
  last: RecordHead | undefined,
  onRecord: RecordListener,
): Fault | undefined {
  const outOfSequence = sequenceFault(head, last);
  if (outOfSequence) return outOfSequence;
  const message = onRecord(head.seq, body);
  return message === undefined ? undefined : { kind: "content", message };
}

function sequenceFault(head: RecordHead, last: RecordHead | undefined): Fault | undefined {
  const expected = last ? last.seq + 1 : 0;
  if (head.seq === expected) return undefined;
  const message = `found record ${head.seq} instead of record ${expected}`;
  if (head.seq > expected) return { kind: "gap", message };
  const isDuplicate = head.seq === last?.seq && head.checksum === last.checksum;
  return { kind: isDuplicate ? "duplicate" : "repeat", message };
}

/** Large enough that a typical segment takes few reads: each of them waits for a thread. */
const CHUNK_BYTES = 1024 * 1024;
/** Read at once to find the end of the content, which is nearly always the last byte. */
const TAIL_BYTES = 64 * 1024;

/** Reads a file from start to end in chunks; only the current chunk is kept in memory. */
class ByteWindow {
  readonly #file: LogFile;
  readonly #size: number;
  #start = 0;
  #held: Buffer = Buffer.alloc(0);

  /** `size`: of the file, so a small one takes little memory. */
  constructor(file: LogFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** The bytes in memory. The next `load` may overwrite them. */
  get held(): Buffer {
    return this.#held;
  }

  /** The index in `held` of the byte at this offset of the file. */
  indexOf(offset: number): number {
    return offset - this.#start;
  }

  /** Loads at least `length` bytes from `offset`. False if the file ends before. */
  async load(offset: number, length: number): Promise<boolean> {
    const wanted = Math.max(length, Math.min(CHUNK_BYTES, this.#size - offset));
    const { buffer, byteOffset, byteLength } = await readLogBytes(this.#file, offset, wanted, this.#held);
    this.#held = Buffer.from(buffer, byteOffset, byteLength);
    this.#start = offset;
    return byteLength >= length;
  }
}

/** The offset where the content ends: a power cut may leave zero bytes after it, which no record contains. */
async function contentEnd(file: LogFile, size: number): Promise<number> {
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - TAIL_BYTES);
    const bytes = await readLogBytes(file, from, end - from);
    const last = bytes.findLastIndex((byte) => byte !== 0);
    if (last !== -1) return from + last + 1;
    end = from;
  }
  return 0;
}
