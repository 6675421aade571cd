import { type Clock, Listeners, systemClock } from "indusagi/core";
import type { ToolBox, ToolBoxChange } from "indusagi/runtime";

/** A box for a follower that begins later. */
export interface LateBox {
  /** Offers what the box offered first, until `catchUp`. Then it is as the box. */
  readonly box: ToolBox;
  /** The time of what is offered. */
  readonly clock: Clock;
  /** Repeats the changes so far, each at its time. */
  catchUp(): void;
}

interface PastOffer {
  readonly atMs: number;
  readonly tools: ReturnType<ToolBox["descriptors"]>;
  readonly change?: ToolBoxChange;
}

/** Notes what a box offers from now on, which costs nothing, so that a follower that begins later misses no change. */
export function followLate(box: ToolBox, clock: Clock = systemClock): LateBox {
  const changes = new Listeners<ToolBoxChange>();
  const nowMs = (): number => clock.nowMs();
  const past: PastOffer[] = [{ atMs: nowMs(), tools: box.descriptors() }];
  let isPast = true;
  box.onChange((change) => {
    if (isPast) past.push({ atMs: nowMs(), tools: box.descriptors(), change });
    else changes.emit(change);
  });
  return {
    box: {
      runner: box.runner,
      ...(box.refusalOf && { refusalOf: (name) => box.refusalOf?.(name) }),
      descriptors: () => (isPast ? past[0]?.tools : undefined) ?? box.descriptors(),
      onChange: (listener) => changes.add(listener),
    },
    clock: {
      nowMs: () => (isPast ? past[0]?.atMs : undefined) ?? nowMs(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    },
    catchUp: () => {
      while (past.length > 1) {
        past.shift();
        const [{ change } = {}] = past;
        if (change) changes.emit(change);
      }
      isPast = false;
      past.length = 0;
    },
  };
}
