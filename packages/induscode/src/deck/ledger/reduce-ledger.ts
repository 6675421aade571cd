import { canonicalJson } from "indusagi/core";
import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeEntry } from "./bridge-entry.ts";
import type { BridgeKey } from "./bridge-key.ts";
import { FoldVersion, FoldView } from "./fold-view.ts";
import { advanceFold, emptyFold } from "./ledger-fold.ts";

/** The live capabilities after some events. */
export interface LedgerSnapshot {
  /** In order of enrollment. One that is enrolled again keeps its place, unless it was retired in between. */
  readonly live: ReadonlyMap<BridgeKey, BridgeCapability>;
  /** The server of each live capability, in the same order. */
  readonly owners: ReadonlyMap<BridgeKey, string>;
  /** The number of live capabilities per server. */
  readonly byServer: ReadonlyMap<string, number>;
  /** The greatest `seq`, or 0 without entries. */
  readonly highWater: number;
}

/** Computes the live capabilities from the events. Pure; `seq` alone decides the order, not the order of the array. */
export function reduceLedger(entries: readonly BridgeEntry[]): LedgerSnapshot {
  const fold = advanceFold(emptyFold(), inOrder(entries));
  // Nothing advances this fold any more.
  return snapshotOf(new FoldVersion(fold, () => []));
}

/** A version of a fold as a snapshot. */
export function snapshotOf(version: FoldVersion): LedgerSnapshot {
  const { byServer, highWater } = version.current;
  return {
    live: new FoldView(version, ({ capability }) => capability),
    owners: new FoldView(version, ({ server }) => server),
    byServer: new Map(byServer),
    highWater,
  };
}

/** The entries in the order of their numbers. */
export function inOrder(entries: readonly BridgeEntry[]): readonly BridgeEntry[] {
  const isSorted = entries.every(({ seq }, index) => index === 0 || (entries[index - 1]?.seq ?? 0) < seq);
  return isSorted ? entries : [...entries].sort(bySeq);
}

/** No ledger uses a number twice. If a log does, the content decides, to not depend on the order of arrival. */
function bySeq(a: BridgeEntry, b: BridgeEntry): number {
  if (a.seq !== b.seq) return a.seq - b.seq;
  const [left, right] = [identityOf(a), identityOf(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function identityOf({ op, key, server, at, capability }: BridgeEntry): string {
  return canonicalJson([op, key, server, at, capability?.fingerprint ?? null]);
}
