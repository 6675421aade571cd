import { dirname } from "node:path";
import { type BridgeEntry, BridgeLedger } from "../ledger/index.ts";
import { systemRefusal } from "./ledger-log-error.ts";
import { type LogDisk, localLogDisk } from "./log-disk.ts";
import type { LedgerNote } from "./record/decision-record.ts";
import {
  type CorruptReading,
  type EntryListener,
  type FindBodies,
  type LogReading,
  scanLog,
  type TornReading,
  type WholeReading,
} from "./scan-log.ts";
import { findBodies } from "./segment/segment-bodies.ts";

/** How a log is read. */
export interface ReadLogOptions {
  readonly disk?: LogDisk;
  /** Called with each decision and each refused entry, in order with the entries. */
  readonly onNote?: (note: LedgerNote) => void;
}

/**
 * Reads one segment entry by entry and returns its state. Changes nothing, takes no lock and needs little memory. Works on the
 * segment of a run that is still writing; the last record may then look torn.
 */
export async function readLedgerLog(
  path: string,
  onEntry: EntryListener,
  { disk = localLogDisk, onNote }: ReadLogOptions = {},
): Promise<LogReading> {
  try {
    const file = await disk.open(path, "read");
    try {
      const find: FindBodies = (ids) => findBodies(disk, dirname(path), ids);
      return (await scanLog(file, { onEntry, onNote }, find)).reading;
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw systemRefusal(path, "read", cause);
  }
}

/** The ledger of a segment, or the damage. */
export type LedgerReplay =
  | ((WholeReading | TornReading) & { readonly ledger: BridgeLedger })
  | (CorruptReading & { readonly ledger?: never });

/** Reads one segment into a ledger. A damaged segment gives no ledger: half a history would look like the whole. */
export async function replayLedgerLog(path: string, options: ReadLogOptions = {}): Promise<LedgerReplay> {
  const entries: BridgeEntry[] = [];
  const reading = await readLedgerLog(path, (entry) => entries.push(entry), options);
  return reading.state === "corrupt" ? reading : { ...reading, ledger: BridgeLedger.fromLog(entries) };
}
