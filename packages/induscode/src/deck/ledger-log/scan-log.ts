import type { BridgeEntry } from "../ledger/index.ts";
import type { LogDamage } from "./ledger-log-error.ts";
import type { LogFile } from "./log-disk.ts";
import { EntryReader, type EntrySink } from "./read-entries.ts";
import { type BodyRecord, parseSegmentTitle, type SegmentTitle } from "./record/record-body.ts";
import { type RecordsReading, scanRecords } from "./scan-records.ts";

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

/** Finds the bodies with these ids in other segments. */
export type FindBodies = (ids: ReadonlySet<string>) => Promise<ReadonlyMap<string, BodyRecord>>;

/** What a scan found besides the entries. */
export interface SegmentScan {
  readonly reading: LogReading;
  /** The number of the last record. */
  readonly lastRecord: number;
}

/** Reads a segment from start to end, one record at a time, and stops at the first that is not intact. */
export async function scanLog(file: LogFile, sink: EntrySink, findBodies: FindBodies): Promise<SegmentScan> {
  let title: SegmentTitle | undefined;
  const reader = new EntryReader(sink);
  const read = await scanRecords(file, (record, text) => {
    if (record > 0) return reader.take(record, text);
    title = parseSegmentTitle(text);
    return title ? undefined : "the first record is not a ledger title that this version can read";
  });
  reader.finish(reader.missing.size > 0 ? await findBodies(reader.missing) : new Map());
  const part = { ...(title ? { title } : {}), lastSeq: reader.lastSeq, goodBytes: read.goodBytes };
  return { reading: readingOf(part, read), lastRecord: read.lastSeq };
}

function readingOf(part: ReadPart, { size, goodBytes, damage }: RecordsReading): LogReading {
  const { title } = part;
  if (damage) return { ...part, state: "corrupt", damage };
  if (title && goodBytes === size) return { ...part, title, state: "whole" };
  return { ...part, state: "torn", tornBytes: size - goodBytes };
}
