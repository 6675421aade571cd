import type { BridgeEntry, EnrollEntry } from "./bridge-entry.ts";
import type { BridgeKey } from "./bridge-key.ts";
import { advanceFold, emptyFold, type LedgerFold } from "./ledger-fold.ts";

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
export class FoldView<Value> implements ReadonlyMap<BridgeKey, Value> {
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
