import { setImmediate as nextTurn } from "node:timers/promises";

/** How long the work of all trees together may keep the event loop from other work. */
const SLICE_MS = 10;

let last: Promise<unknown> = Promise.resolve();
let sliceSinceMs = Number.NEGATIVE_INFINITY;

/**
 * Runs a short piece of work, after those that were given before. When many trees end at once, each scan or signal takes
 * a millisecond or more; without turns of the event loop in between, calls of other servers would wait for all of them.
 */
export function pacedWork<Result>(work: () => Result): Promise<Result> {
  const done = last.then(async () => {
    if (performance.now() - sliceSinceMs > SLICE_MS) {
      await nextTurn();
      sliceSinceMs = performance.now();
    }
    return work();
  });
  last = done.catch(() => {});
  return done;
}
