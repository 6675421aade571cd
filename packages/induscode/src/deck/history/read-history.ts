import type { BridgeEntry, BridgeKey } from "../ledger/index.ts";
import {
  LedgerLogError,
  type LedgerNote,
  type LedgerSegment,
  type LogDamage,
  type LogDisk,
  listLedgerSegments,
  localLogDisk,
  readLedgerLog,
} from "../ledger-log/index.ts";
import { type EntryEvent, type HistoryEvent, toolOf } from "./history-event.ts";

export interface ReadHistoryOptions {
  readonly disk?: LogDisk;
}

/** What is recorded about the mounted tools of a workspace, across all runs. */
export interface LedgerHistory {
  /** Ordered by the start of their run, and within a run by the time of recording. */
  readonly events: readonly HistoryEvent[];
  /** The time of the oldest event. Absent without events. Older events were deleted, or never recorded. */
  readonly oldest?: string;
  /** Damaged segments. None of their events are used. */
  readonly damaged: readonly DamagedSegment[];
}

export interface DamagedSegment extends LedgerSegment {
  readonly damage: LogDamage;
}

/** Reads all segments of a folder. Changes nothing and takes no lock. */
export async function readLedgerHistory(
  folder: string,
  { disk = localLogDisk }: ReadHistoryOptions = {},
): Promise<LedgerHistory> {
  const events: HistoryEvent[] = [];
  const damaged: DamagedSegment[] = [];
  for (const segment of await listLedgerSegments(folder, { disk })) {
    const read = await readSegment(segment, disk);
    if ("kind" in read) damaged.push({ ...segment, damage: read });
    else for (const event of read) events.push(event);
  }
  const oldest = events.reduce<string | undefined>(
    (least, { at }) => (least === undefined || at < least ? at : least),
    undefined,
  );
  return { events, damaged, ...(oldest === undefined ? {} : { oldest }) };
}

async function readSegment({ id, path }: LedgerSegment, disk: LogDisk): Promise<HistoryEvent[] | LogDamage> {
  const events: HistoryEvent[] = [];
  const enrolled = new Map<BridgeKey, EntryEvent>();
  const onEntry = (entry: BridgeEntry): void => {
    const event = entryEvent(entry, id, enrolled);
    if (event) events.push(event);
  };
  const onNote = (note: LedgerNote): void => {
    if (note.op === "refused") return;
    const { op, server, tool, at } = note;
    events.push({ op, segment: id, at, server, tool, decision: note });
  };
  try {
    const reading = await readLedgerLog(path, onEntry, { disk, onNote });
    return reading.state === "corrupt" ? reading.damage : events;
  } catch (thrown) {
    // Deleted after the folder was listed.
    if (thrown instanceof LedgerLogError && thrown.kind === "not_found") return [];
    throw thrown;
  }
}

/** Undefined for a removed key that was never enrolled. */
function entryEvent(
  entry: BridgeEntry,
  segment: string,
  enrolled: Map<BridgeKey, EntryEvent>,
): EntryEvent | undefined {
  const { op, key, server, at } = entry;
  if (op === "retire") {
    const before = enrolled.get(key);
    enrolled.delete(key);
    return before && { ...before, op, at };
  }
  const event = { op, segment, at, server, tool: toolOf(entry.capability), capability: entry.capability };
  enrolled.set(key, event);
  return event;
}
