import { type Clock, settlesWithin, showDuration } from "../../../core/index.ts";
import type { Caller } from "../../../runtime/index.ts";
import { acquireTimedOut, startDelay, stillStarting } from "../refusals.ts";
import { faultOf, type StateMachine } from "../supervisor-state.ts";

export interface PatienceOptions {
  readonly server: string;
  readonly machine: StateMachine;
  readonly clock: Clock;
  /** The longest wait for a server that is starting. The time in the queue or during an installation does not count. */
  readonly acquireMs: number;
  /** The longest wait in total. */
  readonly maxWaitMs: number;
  /** The time between two progress notes. */
  readonly noteMs: number;
  readonly signal: AbortSignal | undefined;
  readonly caller: Caller | undefined;
}

/**
 * How much longer one caller waits for a server, and the progress notes it gets meanwhile: a client that sees progress knows
 * that its call is not lost.
 */
export class StartPatience {
  readonly #options: PatienceOptions;
  #waitedMs = 0;
  /** The part of the wait that counts against `acquireMs`. */
  #startingMs = 0;
  #notes = 0;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** Resolves at a change of the server, or when the signal aborts. Rejects with a fault when the time is up. */
  async until(change: Promise<void>): Promise<void> {
    const { machine, noteMs, clock, signal } = this.#options;
    for (;;) {
      const isHeldUp = startDelay(machine.state) !== undefined;
      const untilNoteMs = (this.#notes + 1) * noteMs - this.#waitedMs;
      const remainingMs = Math.min(this.#remainingMs(isHeldUp), untilNoteMs);
      const beforeMs = clock.monotonicMs();
      const hasChanged = await settlesWithin(change, remainingMs, { signal, clock });
      const passedMs = clock.monotonicMs() - beforeMs;
      this.#waitedMs += passedMs;
      if (!isHeldUp) this.#startingMs += passedMs;
      if (signal?.aborted) return;
      this.#note();
      if (hasChanged) return;
    }
  }

  #remainingMs(isHeldUp: boolean): number {
    const { server, machine, acquireMs, maxWaitMs } = this.#options;
    const startMs = isHeldUp ? Number.POSITIVE_INFINITY : acquireMs - this.#startingMs;
    const allMs = maxWaitMs - this.#waitedMs;
    if (startMs <= 0) throw acquireTimedOut(server, acquireMs, faultOf(machine.state));
    if (allMs <= 0) throw stillStarting(machine.state, server, this.#waitedMs);
    return Math.min(startMs, allMs);
  }

  /** The numbers stay close to zero: notes of the tool itself may follow, and progress must increase. */
  #note(): void {
    const { noteMs, server, machine, caller } = this.#options;
    const due = Math.floor(this.#waitedMs / noteMs);
    if (due <= this.#notes) return;
    this.#notes = due;
    const waited = showDuration(Math.round(this.#waitedMs / 1000) * 1000);
    const message = `server "${server}" ${startDelay(machine.state) ?? "is starting"} (${waited})`;
    caller?.progress?.({ progress: due / 1e6, message });
  }
}
