import type { BridgeEntry, EnrollEntry } from "./bridge-entry.ts";
import type { BridgeKey } from "./bridge-key.ts";

/** The live state after the first entries of a log, updated in place. */
export interface LedgerFold {
  /** The entry of each live capability. One map for capability and owner: filling maps takes most of the time of a fold. */
  readonly live: Map<BridgeKey, EnrollEntry>;
  readonly byServer: Map<string, number>;
  highWater: number;
  /** The number of entries that it contains. */
  length: number;
}

export function emptyFold(): LedgerFold {
  return { live: new Map(), byServer: new Map(), highWater: 0, length: 0 };
}

/** Adds entries, which must be in the order of their numbers and greater than those before. */
export function advanceFold(fold: LedgerFold, entries: Iterable<BridgeEntry>): LedgerFold {
  for (const entry of entries) {
    takeEntry(fold, entry);
    fold.length += 1;
  }
  return fold;
}

function takeEntry(fold: LedgerFold, entry: BridgeEntry): void {
  const { live, byServer } = fold;
  const { key, server, seq } = entry;
  if (seq > fold.highWater) fold.highWater = seq;
  const before = live.get(key)?.server;
  if (entry.op === "enroll") {
    live.set(key, entry);
    if (before === server) return;
    byServer.set(server, (byServer.get(server) ?? 0) + 1);
  } else {
    live.delete(key);
  }
  if (before !== undefined) countDown(byServer, before);
}

function countDown(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
