import { untilAborted } from "indusagi/core";

/** Lets a limited number of pieces of work run at once; the others wait in order. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Rejects with the signal's reason if it aborts while the work waits. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#give();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    let wake = (): void => {};
    const turn = new Promise<void>((resolve) => (wake = resolve));
    this.#waiting.push(wake);
    try {
      await untilAborted(turn, signal);
    } catch (thrown) {
      const at = this.#waiting.indexOf(wake);
      // Woken at the same moment: the slot goes to the next one.
      if (at === -1) this.#give();
      else this.#waiting.splice(at, 1);
      throw thrown;
    }
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}
