import { type Clock, systemClock } from "../../../core/index.ts";

const AGAIN_MS = 60_000;

/** Whether programs are started in bubblewrap. Where it has worked once, a failure is passing, and no reason to do without. */
export class Confinement {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #hasWorked = false;
  #failedMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs"> = systemClock) {
    this.#clock = clock;
  }

  /** False for a while after a failure. */
  get isTried(): boolean {
    return this.#failedMs === undefined || this.#clock.monotonicMs() - this.#failedMs >= AGAIN_MS;
  }

  worked(): void {
    this.#hasWorked = true;
    this.#failedMs = undefined;
  }

  /** True if the program may be started without it. */
  failed(): boolean {
    if (!this.#hasWorked) this.#failedMs = this.#clock.monotonicMs();
    return !this.#hasWorked;
  }
}
