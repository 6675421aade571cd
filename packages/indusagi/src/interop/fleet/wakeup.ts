/** Lets many wait for the next thing that happens, whatever it is; each then looks for itself. */
export class Wakeup {
  readonly #waiting = new Set<() => void>();

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  wake(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
