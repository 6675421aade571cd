import type { BridgeEntry } from "../ledger/index.ts";
import { contentEnd, openWindow } from "./disk/byte-window.ts";
import type { LogFile } from "./disk/log-disk.ts";
import type { LogDamage } from "./log-damage.ts";
import type { RecordHead } from "./record/log-record.ts";
import { readRecord } from "./record/read-record.ts";
import { parseEntry, parseTitle, type SegmentTitle } from "./record/record-body.ts";

/** What reading a segment came to. */
export type LogReading = WholeReading | TornReading | CorruptReading;

interface ReadPart {
  /** Whose segment it is. Absent only when not even the first record is whole. */
  readonly title?: SegmentTitle;
  /** The number of the last entry that is intact; 0 when there is none. */
  readonly lastSeq: number;
  /** How many bytes from the beginning are intact records. */
  readonly goodBytes: number;
}

/** Every byte is part of an intact record. */
export interface WholeReading extends ReadPart {
  readonly state: "whole";
  readonly title: SegmentTitle;
}

/** The last write did not finish. Everything before it is intact, and nothing after `goodBytes` was ever acknowledged. */
export interface TornReading extends ReadPart {
  readonly state: "torn";
  readonly tornBytes: number;
}

/** The file was changed after it was written. What comes after the damage may be anything. */
export interface CorruptReading extends ReadPart {
  readonly state: "corrupt";
  readonly damage: LogDamage;
}

/** Hears each intact entry in order. */
export type EntryListener = (entry: BridgeEntry) => void;

/** Reads a segment front to back, holding one record at a time, and stops at the first that is not intact. */
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

/** How far the reading has come. */
interface Progress {
  readonly part: ReadPart;
  /** The head of the record before. */
  readonly last?: RecordHead | undefined;
}

type Fault = Omit<LogDamage, "offset">;

function takeRecord(
  { head, body }: { readonly head: RecordHead; readonly body: string },
  { part, last }: Progress,
  onEntry: EntryListener,
): Progress | Fault {
  const outOfTurn = sequenceFault(head, last);
  if (outOfTurn) return outOfTurn;
  const goodBytes = part.goodBytes + head.totalBytes;
  if (!last) {
    const title = parseTitle(body);
    return title
      ? { part: { ...part, title, goodBytes }, last: head }
      : { kind: "content", message: "the first record is not the title of a ledger this version can read" };
  }
  const entry = parseEntry(body, head.seq);
  if (!entry) return { kind: "content", message: `record ${head.seq} holds no entry this version can read` };
  onEntry(entry);
  return { part: { ...part, lastSeq: head.seq, goodBytes }, last: head };
}

function sequenceFault(head: RecordHead, last: RecordHead | undefined): Fault | undefined {
  const expected = last ? last.seq + 1 : 0;
  if (head.seq === expected) return undefined;
  const message = `record ${head.seq} stands where ${expected} should`;
  if (head.seq > expected) return { kind: "gap", message };
  const isTwin = head.seq === last?.seq && head.checksum === last.checksum;
  return { kind: isTwin ? "duplicate" : "repeat", message };
}
