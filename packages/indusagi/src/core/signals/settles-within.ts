import { type Clock, systemClock } from "../clock.ts";
import { joinSignals } from "./join-signals.ts";

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
