import { type Clock, systemClock } from "../clock.ts";
import { joinSignals } from "./join-signals.ts";

export interface DeadlineOptions {
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs: number;
  /** Makes the reason that the signal aborts with when the time is up. */
  readonly reason: () => unknown;
  readonly clock?: Clock;
}

/** Runs work with a signal that aborts with the caller's signal, or with `reason()` after `deadlineMs`. */
export async function withDeadline<Value>(
  { signal, deadlineMs, reason, clock = systemClock }: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal?.throwIfAborted();
  const deadline = new AbortController();
  const done = new AbortController();
  void clock.sleep(deadlineMs, done.signal).then(
    () => deadline.abort(reason()),
    () => {},
  );
  try {
    return await work(joinSignals(signal, deadline.signal));
  } finally {
    done.abort(); // Clears the timer.
  }
}
