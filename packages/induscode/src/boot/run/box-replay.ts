import { type Clock, systemClock } from "indusagi/core";
import { createTableBox, type Tool, type ToolBox, toolsOf } from "indusagi/runtime";

/** Replays the changes of a box to a follower that starts late. */
export interface BoxReplay {
  /** Offers what the original box offered first, until `catchUp`. From then on it follows the original. */
  readonly box: ToolBox;
  /** The time at which the current offer was made. */
  readonly clock: Clock;
  /** Replays the changes so far, each at its time. */
  catchUp(): void;
}

interface PastOffer {
  readonly atMs: number;
  readonly tools: readonly Tool[];
}

/** Records the changes of a box, which is cheap, so a follower that starts later misses none. */
export function createBoxReplay(box: ToolBox, clock: Clock = systemClock): BoxReplay {
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
