/** Lets many callers wait for the next change of any kind. Each then checks whether it is the one it needs. */
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
