import { Allowances } from "../admit/allowances.ts";

/**
 * Running work by principal: open requests, and calls in sessions. A call continues when its client loses the stream, so that
 * the client can return; counting requests alone would let one client start any number.
 */
export class RunningCalls {
  readonly #places: Allowances;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#places = new Allowances(most);
  }

  /** What runs for all principals. */
  get total(): number {
    return this.#places.total;
  }

  /** Counts one call; the returned function ends it. `undefined` if the principal is at its limit. */
  begin(principal: string): (() => void) | undefined {
    const giveBack = this.#places.take(principal);
    if (!giveBack) return undefined;
    return () => {
      giveBack();
      if (this.total === 0) for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /** Resolves when no call is running. */
  settled(): Promise<void> {
    if (this.total === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
