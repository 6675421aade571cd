/**
 * What is in progress, by key: entries that come and go with every call.
 *
 * A `Map` takes a new table every few changes. If it lives long, its tables are in V8's old heap, and there a table that it has left
 * keeps what was in it, with everything that this refers to, until V8 collects the whole heap. With 64 calls in flight that was nearly
 * every call, and half of a gateway's time for garbage. What such a table keeps here is an empty place.
 */
export class InFlight<Key, Value> {
  readonly #places = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#places.size;
  }

  get(key: Key): Value | undefined {
    return this.#places.get(key)?.value;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  set(key: Key, value: Value): void {
    const place = this.#places.get(key);
    if (place) place.value = value;
    else this.#places.set(key, { value });
  }

  delete(key: Key): boolean {
    const place = this.#places.get(key);
    if (!place) return false;
    place.value = undefined;
    return this.#places.delete(key);
  }

  clear(): void {
    for (const place of this.#places.values()) place.value = undefined;
    this.#places.clear();
  }

  keys(): IterableIterator<Key> {
    return this.#places.keys();
  }

  *values(): Generator<Value> {
    for (const { value } of this.#places.values()) yield value as Value;
  }
}
