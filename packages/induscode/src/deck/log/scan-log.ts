import type { BridgeEntry } from "../ledger/index.ts";
import type { LogFile } from "./disk/log-disk.ts";
import type { LogDamage } from "./log-damage.ts";
import { parseEntry, parseTitle, type SegmentTitle } from "./record/record-body.ts";
import { scanRecords } from "./scan-records.ts";

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
  let title: SegmentTitle | undefined;
  const read = await scanRecords(file, (seq, body) => {
    if (seq > 0) return takeEntry(body, seq, onEntry);
    title = parseTitle(body);
    return title ? undefined : "the first record is not a ledger title that this version can read";
  });
  const { size, goodBytes, damage } = read;
  const part: ReadPart = { ...(title ? { title } : {}), lastSeq: Math.max(0, read.lastSeq), goodBytes };
  if (damage) return { ...part, state: "corrupt", damage };
  if (title && goodBytes === size) return { ...part, title, state: "whole" };
  return { ...part, state: "torn", tornBytes: size - goodBytes };
}

function takeEntry(body: string, seq: number, onEntry: EntryListener): string | undefined {
  const entry = parseEntry(body, seq);
  if (!entry) return `record ${seq} is not an entry that this version can read`;
  onEntry(entry);
  return undefined;
}
