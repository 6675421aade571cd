/** The world's time, as a port: everything that waits or stamps takes one, so that tests own the time. */
export interface Clock {
  /** Wall-clock milliseconds since the Unix epoch. For stamps only: it may jump. */
  nowMs(): number;
  /** Milliseconds from an arbitrary start that never go back. For deadlines and durations. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep: async (ms, signal) => {
    signal?.throwIfAborted();
    try {
      await process
        .getBuiltinModule("node:timers/promises")
        .setTimeout(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      // node wraps the reason in an AbortError of its own; callers are owed the reason they gave.
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** Wall-clock milliseconds since the Unix epoch. */
export function nowMs(clock: Clock = systemClock): number {
  return clock.nowMs();
}

/** The time as ISO 8601 in UTC with milliseconds, e.g. `2026-07-28T09:30:00.000Z`. */
export function isoTime(ms: number = Date.now()): string {
  return new Date(ms).toISOString();
}
