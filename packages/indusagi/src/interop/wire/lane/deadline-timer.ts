/** A longer timer would fire at once. A later deadline is looked at again after this time. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** One timer for many deadlines on the clock of `performance.now`: it fires at the earliest one that it was given. */
export class DeadlineTimer {
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** Fires at this time, unless an earlier one was given. */
  watch(dueMs: number): void {
    if (dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => this.#fire(), delayMs(dueMs));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#onDue();
  }
}

function delayMs(dueMs: number): number {
  return Math.min(Math.max(0, dueMs - performance.now()) + 1, MAX_TIMER_MS);
}
