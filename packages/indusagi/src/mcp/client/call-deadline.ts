import { onAbort } from "../../core/index.ts";

export interface CallDeadlineOptions {
  /** The time until the answer. `renew` restarts it. */
  readonly idleMs: number;
  /** The time until the answer that `renew` does not restart. */
  readonly totalMs: number;
  /** The caller's signal, which ends the call too. */
  readonly signal?: AbortSignal | undefined;
  /** Creates the error if the time is up. */
  readonly late: (ms: number) => Error;
}

/**
 * Ends one call when its time is up or its caller aborts. It covers the whole call: every request of it, and the time in
 * which its questions are answered. Call `stop` when the call is over.
 */
export class CallDeadline {
  readonly #options: CallDeadlineOptions;
  readonly #abort = new AbortController();
  readonly #stopListening: () => void;
  readonly #endsAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CallDeadlineOptions) {
    this.#options = options;
    this.#endsAtMs = performance.now() + options.totalMs;
    this.#stopListening = options.signal
      ? onAbort(options.signal, (reason) => this.#abort.abort(reason))
      : () => {};
    this.renew();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  renew(): void {
    clearTimeout(this.#timer);
    const { idleMs, totalMs, late } = this.#options;
    const leftMs = this.#endsAtMs - performance.now();
    const isTotal = leftMs < idleMs;
    this.#timer = setTimeout(
      () => this.#abort.abort(late(isTotal ? totalMs : idleMs)),
      Math.max(0, Math.min(idleMs, leftMs)),
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#stopListening();
  }
}
