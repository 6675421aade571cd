import { canonicalJson } from "indusagi/core";
import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeEntry } from "./bridge-entry.ts";
import { bridgeFingerprint } from "./bridge-fingerprint.ts";
import type { BridgeKey } from "./bridge-key.ts";

/** What is live after some events. */
export interface LedgerSnapshot {
  /** In the order of enrollment: a repeated one keeps its place, one that was retired in between goes to the end. */
  readonly live: ReadonlyMap<BridgeKey, BridgeCapability>;
  /** Which server each live capability came from, in the same order. */
  readonly owners: ReadonlyMap<BridgeKey, string>;
  /** How many capabilities each server has live. */
  readonly byServer: ReadonlyMap<string, number>;
  /** The greatest `seq` seen; 0 when there was none. */
  readonly highWater: number;
}

/** The one fold from events to what is live. Pure, and blind to the order the entries come in: `seq` alone decides. */
export function reduceLedger(entries: readonly BridgeEntry[]): LedgerSnapshot {
  const live = new Map<BridgeKey, BridgeCapability>();
  const owners = new Map<BridgeKey, string>();
  let highWater = 0;
  for (const entry of inOrder(entries)) {
    highWater = Math.max(highWater, entry.seq);
    if (entry.op === "enroll") {
      live.set(entry.key, entry.capability);
      owners.set(entry.key, entry.server);
    } else {
      live.delete(entry.key);
      owners.delete(entry.key);
    }
  }
  return { live, owners, byServer: countEach(owners.values()), highWater };
}

function inOrder(entries: readonly BridgeEntry[]): readonly BridgeEntry[] {
  const isSorted = entries.every(({ seq }, index) => index === 0 || (entries[index - 1]?.seq ?? 0) < seq);
  return isSorted ? entries : [...entries].sort(bySeq);
}

/** No ledger gives a number twice, but a fold must not depend on arrival even then: the content decides. */
function bySeq(a: BridgeEntry, b: BridgeEntry): number {
  if (a.seq !== b.seq) return a.seq - b.seq;
  const [left, right] = [identityOf(a), identityOf(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function identityOf({ op, key, server, at, capability }: BridgeEntry): string {
  return canonicalJson([op, key, server, at, capability ? bridgeFingerprint(capability.descriptor) : null]);
}

function countEach(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
