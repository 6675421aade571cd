import { ByteWindow, contentEnd } from "./disk/byte-window.ts";
import type { LogFile } from "./disk/log-disk.ts";
import type { LogDamage } from "./log-damage.ts";
import type { RecordHead } from "./record/log-record.ts";
import { readLogRecord } from "./record/read-record.ts";

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
