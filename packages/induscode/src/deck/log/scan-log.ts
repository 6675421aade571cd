import type { BridgeEntry } from "../ledger/index.ts";
import { contentEnd, openWindow } from "./disk/byte-window.ts";
import type { LogFile } from "./disk/log-disk.ts";
import type { LogDamage } from "./log-damage.ts";
import type { RecordHead } from "./record/log-record.ts";
import { readRecord } from "./record/read-record.ts";
import { parseEntry, parseTitle, type SegmentTitle } from "./record/record-body.ts";

/** The result of reading a segment. */
export type LogReading = WholeReading | TornReading | CorruptReading;

interface ReadPart {
  /** The first record. Absent if not even that is complete. */
  readonly title?: SegmentTitle;
  /** The sequence number of the last intact entry, or 0. */
  readonly lastSeq: number;
  /** The number of bytes, from the start, that are intact records. */
  readonly goodBytes: number;
}

/** Every byte is part of an intact record. */
export interface WholeReading extends ReadPart {
  readonly state: "whole";
  readonly title: SegmentTitle;
}

/** The last write was not completed. Everything before it is intact; nothing after `goodBytes` was acknowledged. */
export interface TornReading extends ReadPart {
  readonly state: "torn";
  readonly tornBytes: number;
}

/** The file was changed after it was written. Nothing after the damage can be trusted. */
export interface CorruptReading extends ReadPart {
  readonly state: "corrupt";
  readonly damage: LogDamage;
}

/** Called with each intact entry, in order. */
export type EntryListener = (entry: BridgeEntry) => void;

/** Reads a segment from start to end, one record at a time, and stops at the first that is not intact. */
export async function scanLog(file: LogFile, onEntry: EntryListener): Promise<LogReading> {
  const size = await file.size();
  const end = await contentEnd(file, size);
  const window = openWindow(file);
  let { part, last }: Progress = { part: { lastSeq: 0, goodBytes: 0 } };
  while (part.goodBytes < end) {
    const read = await readRecord(window, part.goodBytes, end);
    if (read.found === "cut") break;
    const next = read.found === "damage" ? read : takeRecord(read, { part, last }, onEntry);
    if ("kind" in next) {
      const damage = { kind: next.kind, offset: part.goodBytes, message: next.message };
      return { ...part, state: "corrupt", damage };
    }
    ({ part, last } = next);
  }
  const { title } = part;
  if (title && part.goodBytes === size) return { ...part, title, state: "whole" };
  return { ...part, state: "torn", tornBytes: size - part.goodBytes };
}

/** The state of the scan after a record. */
interface Progress {
  readonly part: ReadPart;
  /** The head of the previous record. */
  readonly last?: RecordHead | undefined;
}

type Fault = Omit<LogDamage, "offset">;

function takeRecord(
  { head, body }: { readonly head: RecordHead; readonly body: string },
  { part, last }: Progress,
  onEntry: EntryListener,
): Progress | Fault {
  const outOfSequence = sequenceFault(head, last);
  if (outOfSequence) return outOfSequence;
  const goodBytes = part.goodBytes + head.totalBytes;
  if (!last) {
    const title = parseTitle(body);
    return title
      ? { part: { ...part, title, goodBytes }, last: head }
      : { kind: "content", message: "the first record is not a ledger title that this version can read" };
  }
  const entry = parseEntry(body, head.seq);
  if (!entry)
    return { kind: "content", message: `record ${head.seq} is not an entry that this version can read` };
  onEntry(entry);
  return { part: { ...part, lastSeq: head.seq, goodBytes }, last: head };
}

function sequenceFault(head: RecordHead, last: RecordHead | undefined): Fault | undefined {
  const expected = last ? last.seq + 1 : 0;
  if (head.seq === expected) return undefined;
  const message = `found record ${head.seq} instead of record ${expected}`;
  if (head.seq > expected) return { kind: "gap", message };
  const isDuplicate = head.seq === last?.seq && head.checksum === last.checksum;
  return { kind: isDuplicate ? "duplicate" : "repeat", message };
}
