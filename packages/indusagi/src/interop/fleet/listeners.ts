/** Who hears of something. One that throws keeps nothing from the others, and nothing from going on. */
export class Listeners<Value> {
  readonly #all = new Set<(value: Value) => void>();

  /** Returns the way to stop listening. */
  add(listener: (value: Value) => void): () => void {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  tell(value: Value): void {
    for (const listener of [...this.#all]) {
      try {
        listener(value);
      } catch {
        // Its own affair: a server must not be given up because somebody who watches it is broken.
      }
    }
  }
}
