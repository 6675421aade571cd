import { type Clock, systemClock } from "indusagi/core";
import { createTableBox, type Tool, type ToolBox, toolsOf } from "indusagi/runtime";

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
  readonly tools: readonly Tool[];
}

/** Notes what a box offers from now on, which costs nothing, so that a follower that begins later misses no change. */
export function followLate(box: ToolBox, clock: Clock = systemClock): LateBox {
  const table = createTableBox(toolsOf(box), { refusalOf: (name) => box.refusalOf?.(name) });
  let past: PastOffer[] | undefined = [];
  let shownMs = clock.nowMs();
  box.onChange(() => {
    const tools = toolsOf(box);
    if (past) past.push({ atMs: clock.nowMs(), tools });
    else table.replace(tools);
  });
  return {
    box: table.box,
    clock: {
      nowMs: () => (past ? shownMs : clock.nowMs()),
      monotonicMs: () => clock.monotonicMs(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    },
    catchUp: () => {
      for (const { atMs, tools } of past ?? []) {
        shownMs = atMs;
        table.replace(tools);
      }
      past = undefined;
    },
  };
}
