import { describeError } from "indusagi/core";
import type { BridgeEntry } from "../../ledger/index.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import { formatRecord, MAX_BODY_BYTES } from "./log-record.ts";
import { type RecordBlock, recordBlocks } from "./record-blocks.ts";
import { formatEntry } from "./record-body.ts";

/** Entries as blocks of records. Throws, for all of them, if one has the wrong number or cannot be written. */
export function formatEntries(path: string, entries: readonly BridgeEntry[], nextSeq: number): RecordBlock[] {
  return recordBlocks(entries, nextSeq, (entry, seq) => recordOf(path, entry, seq));
}

function recordOf(path: string, entry: BridgeEntry, expected: number): Uint8Array {
  if (entry.seq !== expected) {
    throw new LedgerLogError("out_of_order", path, `expects entry ${expected}, not ${entry.seq}`);
  }
  const bytes = formatRecord(entry.seq, bodyOf(path, entry));
  if (bytes) return bytes;
  const message = `cannot hold entry ${entry.seq} of server "${entry.server}": it has more than ${MAX_BODY_BYTES} bytes`;
  throw new LedgerLogError("bad_entry", path, message);
}

function bodyOf(path: string, entry: BridgeEntry): string {
  try {
    return formatEntry(entry);
  } catch (cause) {
    const message = `cannot hold entry ${entry.seq} of server "${entry.server}": ${describeError(cause)}`;
    throw new LedgerLogError("bad_entry", path, message, { cause });
  }
}
