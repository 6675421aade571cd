import type { BridgeEntry } from "./bridge-entry.ts";
import { advanceFold, emptyFold, type LedgerFold } from "./ledger-fold.ts";

/** The fold of one ledger. It is read from the fold that newer ledgers share, until one of them has advanced that. */
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
 * A map of a snapshot. It never changes, although it is not a copy: copying the live tools for each snapshot of a growing
 * ledger would take time in the square of its length.
 */
export class FoldView<Key, Value> implements ReadonlyMap<Key, Value> {
  readonly #read: () => ReadonlyMap<Key, Value>;

  constructor(read: () => ReadonlyMap<Key, Value>) {
    this.#read = read;
  }

  get size(): number {
    return this.#read().size;
  }

  get(key: Key): Value | undefined {
    return this.#read().get(key);
  }

  has(key: Key): boolean {
    return this.#read().has(key);
  }

  forEach(visit: (value: Value, key: Key, map: ReadonlyMap<Key, Value>) => void): void {
    for (const [key, value] of this) visit(value, key, this);
  }

  /** Safe if a newer ledger advances the shared fold meanwhile: the rest is then read from this version's own fold. */
  *entries(): MapIterator<[Key, Value]> {
    let map = this.#read();
    let iterator = map.entries();
    for (let count = 0; ; count += 1) {
      if (this.#read() !== map) {
        map = this.#read();
        iterator = map.entries();
        for (let done = 0; done < count; done += 1) iterator.next();
      }
      const next = iterator.next();
      if (next.done) return;
      yield next.value;
    }
  }

  *keys(): MapIterator<Key> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[Key, Value]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return "Map";
  }
}
