import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeEntry } from "./bridge-entry.ts";
import type { BridgeKey } from "./bridge-key.ts";

/** The live state after the first entries of a log. It is changed in place, entry by entry. */
export interface LedgerFold {
  readonly live: Map<BridgeKey, BridgeCapability>;
  readonly owners: Map<BridgeKey, string>;
  readonly byServer: Map<string, number>;
  highWater: number;
  /** The number of entries that it contains. */
  length: number;
}

export function emptyFold(): LedgerFold {
  return { live: new Map(), owners: new Map(), byServer: new Map(), highWater: 0, length: 0 };
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
  const { live, owners, byServer } = fold;
  const { key, server, seq } = entry;
  if (seq > fold.highWater) fold.highWater = seq;
  const before = owners.get(key);
  if (entry.op === "enroll") {
    live.set(key, entry.capability);
    if (before === server) return;
    owners.set(key, server);
    byServer.set(server, (byServer.get(server) ?? 0) + 1);
  } else {
    live.delete(key);
    owners.delete(key);
  }
  if (before !== undefined) countDown(byServer, before);
}

function countDown(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 0) - 1;
  if (left > 0) counts.set(name, left);
  else counts.delete(name);
}
