/** Time as a port: code that waits or takes timestamps gets a clock, so tests can control it. */
export interface Clock {
  /** Wall-clock milliseconds since the Unix epoch. For timestamps only: it may jump. */
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
      // Node wraps the reason in its own AbortError; callers expect the reason they gave.
      signal?.throwIfAborted();
      throw error;
    }
  },
};

/** The longest delay of a timer. Node fires timers with a longer one at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;

/** Wall-clock milliseconds since the Unix epoch. */
export function nowMs(clock: Clock = systemClock): number {
  return clock.nowMs();
}

/** The time as ISO 8601 in UTC with milliseconds, e.g. `2026-07-28T09:30:00.000Z`. */
export function isoTime(ms: number = Date.now()): string {
  // Many records of a busy moment have the same time.
  if (ms !== lastIsoMs) {
    lastIso = new Date(ms).toISOString();
    lastIsoMs = ms;
  }
  return lastIso;
}

let lastIsoMs = Number.NaN;
let lastIso = "";

interface Sleeper {
  readonly dueMs: number;
  wake(): void;
}

/** A `Clock` for tests that moves only when `advance` is called. */
export interface ManualClock extends Clock {
  /** Moves time forward and wakes every sleeper that is due, earliest first. */
  advance(ms: number): Promise<void>;
  /** The number of waiting sleepers. */
  readonly sleeping: number;
}

export function createManualClock(startMs = 0): ManualClock {
  let elapsedMs = 0;
  let sleepers: Sleeper[] = [];

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const onAbort = (): void => {
        sleepers = sleepers.filter((other) => other !== sleeper);
        reject(signal?.reason as Error);
      };
      const sleeper: Sleeper = {
        dueMs: elapsedMs + ms,
        wake: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      sleepers.push(sleeper);
    });

  const advance = async (ms: number): Promise<void> => {
    const untilMs = elapsedMs + ms;
    for (;;) {
      const next = earliestDue(sleepers, untilMs);
      if (!next) break;
      sleepers = sleepers.filter((other) => other !== next);
      elapsedMs = Math.max(elapsedMs, next.dueMs);
      next.wake();
      // The woken code may sleep again within this stretch of time: let it run first.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    elapsedMs = untilMs;
  };

  return {
    nowMs: () => startMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    sleep,
    advance,
    get sleeping() {
      return sleepers.length;
    },
  };
}

function earliestDue(sleepers: readonly Sleeper[], untilMs: number): Sleeper | undefined {
  let earliest: Sleeper | undefined;
  for (const sleeper of sleepers) {
    if (sleeper.dueMs <= untilMs && (!earliest || sleeper.dueMs < earliest.dueMs)) earliest = sleeper;
  }
  return earliest;
}
