import { describeError } from "indusagi/core";
import type { BridgeEntry } from "../../ledger/index.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import { formatRecord, MAX_BODY_BYTES } from "./log-record.ts";
import { formatEntry } from "./record-body.ts";

/** Records that are written together. */
export interface RecordBlock {
  readonly bytes: Uint8Array;
  readonly lastSeq: number;
}

/** The size of one write, unless a single record is larger. Entries that arrive meanwhile share the next flush. */
export const MAX_BLOCK_BYTES: number = 1024 * 1024;

/** Entries as blocks of records. Throws, for all of them, if one has the wrong number or cannot be written. */
export function formatEntries(path: string, entries: readonly BridgeEntry[], nextSeq: number): RecordBlock[] {
  const blocks: RecordBlock[] = [];
  let block: Uint8Array[] = [];
  let blockBytes = 0;
  const endBlock = (lastSeq: number): void => {
    if (block.length > 0) blocks.push({ bytes: Buffer.concat(block), lastSeq });
    block = [];
    blockBytes = 0;
  };
  for (const [index, entry] of entries.entries()) {
    const bytes = recordOf(path, entry, nextSeq + index);
    if (blockBytes + bytes.length > MAX_BLOCK_BYTES) endBlock(entry.seq - 1);
    block.push(bytes);
    blockBytes += bytes.length;
  }
  endBlock(nextSeq + entries.length - 1);
  return blocks;
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
