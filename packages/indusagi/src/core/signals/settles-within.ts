import { type Clock, systemClock } from "../clock.ts";
import { joinSignals } from "./join-signals.ts";
import { onAbort } from "./on-abort.ts";

export interface SettlesWithinOptions {
  /** Ends the wait early, like a timeout. */
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/**
 * Waits at most `ms` for a promise to settle. Returns whether it settled in time, fulfilled or rejected; never rejects.
 * The work itself continues.
 */
export async function settlesWithin(
  work: Promise<unknown>,
  ms: number,
  { signal, clock = systemClock }: SettlesWithinOptions = {},
): Promise<boolean> {
  const over = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const timeUp = clock.sleep(ms, joinSignals(signal, over.signal)).then(
    () => false,
    () => false,
  );
  const inTime = await Promise.race([settled, timeUp]);
  over.abort(); // Clears the timer.
  return inTime;
}

/**
 * Settles with the work, or rejects with the signal's reason if the signal aborts first. The work itself continues;
 * its result after an abort is ignored, and its failure is not an unhandled rejection.
 */
export function untilAborted<Value>(work: Promise<Value>, signal?: AbortSignal): Promise<Value> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, reject);
    work.then(resolve, reject).finally(stop);
  });
}

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
