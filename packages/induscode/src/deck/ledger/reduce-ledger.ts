import { canonicalJson } from "indusagi/core";
import type { BridgeCapability } from "./bridge-capability.ts";
import type { BridgeEntry, EnrollEntry } from "./bridge-entry.ts";
import type { BridgeKey } from "./bridge-key.ts";

/** The live capabilities after some events. */
export interface LedgerSnapshot {
  /** In order of enrollment. One that is enrolled again keeps its place, unless it was retired in between. */
  readonly live: ReadonlyMap<BridgeKey, BridgeCapability>;
  /** The server of each live capability, in the same order. */
  readonly owners: ReadonlyMap<BridgeKey, string>;
  /** The number of live capabilities per server, the server of the first live capability first. */
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
  const { highWater } = version.current;
  let byServer: ReadonlyMap<string, number> | undefined;
  return {
    live: new FoldView(version, ({ capability }) => capability),
    owners: new FoldView(version, ({ server }) => server),
    // Counted when read: few readers need it, and its order follows from the live capabilities.
    get byServer() {
      byServer ??= countByServer(version.current.live.values());
      return byServer;
    },
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

/** The fold of one ledger. Reads the fold shared with newer ledgers until one of them advances it. */
export class FoldVersion {
  readonly #shared: LedgerFold;
  readonly #length: number;
  readonly #entries: () => Iterable<BridgeEntry>;
  #own: LedgerFold | undefined;

  /** `shared` contains exactly this version now. `entries` returns its entries in order; they never change. */
  constructor(shared: LedgerFold, entries: () => Iterable<BridgeEntry>) {
    this.#shared = shared;
    this.#length = shared.length;
    this.#entries = entries;
  }

  get current(): LedgerFold {
    if (this.#own) return this.#own;
    if (this.#shared.length === this.#length) return this.#shared;
    this.#own = advanceFold(emptyFold(), this.#entries());
    return this.#own;
  }
}

/**
 * One member of the live entries, as a map of a snapshot. It never changes, although it is not a copy: copying the live tools
 * for each snapshot of a growing ledger would take quadratic time.
 */
class FoldView<Value> implements ReadonlyMap<BridgeKey, Value> {
  readonly #version: FoldVersion;
  readonly #valueOf: (entry: EnrollEntry) => Value;

  constructor(version: FoldVersion, valueOf: (entry: EnrollEntry) => Value) {
    this.#version = version;
    this.#valueOf = valueOf;
  }

  get size(): number {
    return this.#version.current.live.size;
  }

  get(key: BridgeKey): Value | undefined {
    const entry = this.#version.current.live.get(key);
    return entry && this.#valueOf(entry);
  }

  has(key: BridgeKey): boolean {
    return this.#version.current.live.has(key);
  }

  forEach(visit: (value: Value, key: BridgeKey, map: ReadonlyMap<BridgeKey, Value>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }

  /** Safe if a newer ledger advances the shared fold meanwhile: the rest then comes from this version's own fold. */
  *entries(): MapIterator<[BridgeKey, Value]> {
    let { live } = this.#version.current;
    let iterator = live.entries();
    for (let count = 0; ; count += 1) {
      if (this.#version.current.live !== live) {
        ({ live } = this.#version.current);
        iterator = live.entries();
        for (let done = 0; done < count; done += 1) iterator.next();
      }
      const next = iterator.next();
      if (next.done) return;
      yield [next.value[0], this.#valueOf(next.value[1])];
    }
  }

  *keys(): MapIterator<BridgeKey> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[BridgeKey, Value]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return "Map";
  }
}

/** The live state after the first entries of a log, updated in place. */
export interface LedgerFold {
  /** The entry of each live capability. One map for capability and owner: filling maps takes most of the time of a fold. */
  readonly live: Map<BridgeKey, EnrollEntry>;
  highWater: number;
  /** The number of entries that it contains. */
  length: number;
}

export function emptyFold(): LedgerFold {
  return { live: new Map(), highWater: 0, length: 0 };
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
  const { key, seq } = entry;
  if (seq > fold.highWater) fold.highWater = seq;
  if (entry.op === "enroll") fold.live.set(key, entry);
  else fold.live.delete(key);
}

function countByServer(live: Iterable<EnrollEntry>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { server } of live) counts.set(server, (counts.get(server) ?? 0) + 1);
  return counts;
}
