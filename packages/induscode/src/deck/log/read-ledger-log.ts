import type { BridgeEntry } from "../ledger/index.ts";
import { BridgeLedger } from "../ledger/index.ts";
import { localLogDisk } from "./disk/local-log-disk.ts";
import type { LogDisk } from "./disk/log-disk.ts";
import { systemRefusal } from "./ledger-log-error.ts";
import {
  type CorruptReading,
  type EntryListener,
  type LogReading,
  scanLog,
  type TornReading,
  type WholeReading,
} from "./scan-log.ts";

/** How a log is read. */
export interface ReadLogOptions {
  readonly disk?: LogDisk;
}

/**
 * Reads one segment, entry by entry, and says in what state it is. Changes nothing, takes no lock and needs little memory:
 * also for the segment of a run that is still going on, whose last record may then look torn.
 */
export async function readLedgerLog(
  path: string,
  onEntry: EntryListener,
  { disk = localLogDisk }: ReadLogOptions = {},
): Promise<LogReading> {
  try {
    const file = await disk.open(path, "read");
    try {
      return await scanLog(file, onEntry);
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw systemRefusal(path, "read", cause);
  }
}

/** A segment read back: the ledger it makes, or the damage that forbids to make one. */
export type LedgerReplay =
  | ((WholeReading | TornReading) & { readonly ledger: BridgeLedger })
  | (CorruptReading & { readonly ledger?: never });

/** Reads one segment back into a ledger. Of a damaged one nothing is folded: half a history would pass for the whole. */
export async function replayLedgerLog(path: string, options: ReadLogOptions = {}): Promise<LedgerReplay> {
  const entries: BridgeEntry[] = [];
  const reading = await readLedgerLog(path, (entry) => entries.push(entry), options);
  return reading.state === "corrupt" ? reading : { ...reading, ledger: BridgeLedger.fromLog(entries) };
}
