import type { Clock } from "./clock.ts";

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
