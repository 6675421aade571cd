/**
 * Counts what each principal holds of a limited resource: open streams, open requests, and calls in sessions. A call continues
 * when its client loses the stream, so the client can return; counting only requests would let one client start any number.
 */
export class Allowances {
  readonly #most: number;
  readonly #held = new Map<string, number>();
  #total = 0;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** How much all principals hold. */
  get total(): number {
    return this.#total;
  }

  /** Takes one; the returned function gives it back. `undefined` if the principal is at its limit. */
  take(principal: string): (() => void) | undefined {
    const held = this.#held.get(principal) ?? 0;
    if (held >= this.#most) return undefined;
    this.#held.set(principal, held + 1);
    this.#total += 1;
    return () => {
      this.#total -= 1;
      const left = (this.#held.get(principal) ?? 1) - 1;
      if (left > 0) this.#held.set(principal, left);
      else this.#held.delete(principal);
      if (this.#total === 0) for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /** Resolves when nothing is held. */
  settled(): Promise<void> {
    if (this.#total === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
