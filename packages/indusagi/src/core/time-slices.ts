/** How long one slice may block the event loop. */
const SLICE_MS = 10;

export interface TimeSlicesOptions {
  /** Default 10 ms. */
  readonly sliceMs?: number;
  /** A clock that never goes back. */
  readonly nowMs?: () => number;
}

/**
 * Splits long synchronous work into slices, so answers and signals do not wait for all of it. Await `pause` between two
 * steps: it usually returns at once, and every few milliseconds yields to the event loop.
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

/** Resolves on the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
