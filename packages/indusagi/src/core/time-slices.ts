/** How long one piece of a long work may keep the event loop from other work. */
const SLICE_MS = 10;

export interface TimeSlicesOptions {
  /** Default 10 ms. */
  readonly sliceMs?: number;
  /** A clock that never goes back. */
  readonly nowMs?: () => number;
}

/**
 * Splits a long work that never waits for anything, so that answers and signals do not wait for all of it. `pause` goes
 * between two steps: it returns at once, and every few milliseconds after other work had its turn.
 */
export class TimeSlices {
  readonly #sliceMs: number;
  readonly #nowMs: () => number;
  #sinceMs: number;

  constructor({ sliceMs = SLICE_MS, nowMs = () => performance.now() }: TimeSlicesOptions = {}) {
    this.#sliceMs = sliceMs;
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  async pause(): Promise<void> {
    if (this.#nowMs() - this.#sinceMs < this.#sliceMs) return;
    await nextTurn();
    this.#sinceMs = this.#nowMs();
  }
}

/** Resolves after other work of the event loop had its turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
