/**
 * Runs the steps of each key one after the other, in the order of the calls. Steps of different keys run at the same
 * time. A step that fails does not stop the next one.
 */
export class KeyedQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Value>(key: string, step: () => Promise<Value>): Promise<Value> {
    const mine = (this.#tails.get(key) ?? Promise.resolve()).then(step);
    const tail = mine.catch(() => {});
    this.#tails.set(key, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
