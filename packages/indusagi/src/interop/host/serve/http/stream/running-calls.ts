import { Allowances } from "../admit/allowances.ts";

/**
 * Running calls in sessions, by principal. A call continues when its client loses the stream, so that the client can
 * return; counting requests alone would let one client start any number.
 */
export class RunningCalls {
  readonly #places: Allowances;
  #count = 0;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#places = new Allowances(most);
  }

  /** Counts one call; the returned function ends it. `undefined` if the principal is at its limit. */
  begin(principal: string): (() => void) | undefined {
    const giveBack = this.#places.take(principal);
    if (!giveBack) return undefined;
    this.#count += 1;
    return () => {
      giveBack();
      this.#count -= 1;
      if (this.#count === 0) for (const wake of this.#waiting.splice(0)) wake();
    };
  }

  /** Resolves when no call is running. */
  settled(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
