import { joinSignals, untilAborted } from "indusagi/core";

/** What Ctrl-C stops: the first one the work in progress, a second one the session. */
export class RunningWork {
  #current: { readonly work: AbortController; readonly wait: AbortController } | undefined;
  #interrupts = 0;

  /** The number of Ctrl-C since the last work began. */
  get interrupts(): number {
    return this.#interrupts;
  }

  interrupt(): void {
    this.#interrupts++;
    this.#current?.work.abort(new Error("stopped by the user"));
    // Work that does not end when it is told to must not keep the user.
    if (this.#interrupts > 1) this.#current?.wait.abort(new Error("the user left"));
  }

  /** Rejects if the work fails, was stopped, or is left behind. */
  async run<Result>(session: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#interrupts = 0;
    const current = { work: new AbortController(), wait: new AbortController() };
    this.#current = current;
    try {
      return await untilAborted(work(joinSignals(session, current.work.signal)), current.wait.signal);
    } finally {
      this.#current = undefined;
    }
  }
}
