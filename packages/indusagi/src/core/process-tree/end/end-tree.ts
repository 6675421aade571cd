import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { TreeRecord } from "../members/process-identity.ts";
import type { TreeControl } from "./tree-control.ts";

/**
 * Ends every process of a tree: SIGTERM, a grace period, then SIGKILL until none is left. Two scans in a row must find
 * none, because a process may start while a scan runs.
 *
 * Resolves with the pids of processes that could not be ended: another user's, or stuck in the kernel. Normally none.
 */
export async function endTree(
  tree: TreeRecord,
  control: TreeControl,
  graceMs: number,
): Promise<readonly number[]> {
  if (await isGoneWithin(0, tree, control)) return [];
  await pacedWork(() => control.signal(tree, "SIGTERM"));
  if (await isGoneWithin(graceMs, tree, control)) return [];
  const kill = (): Promise<void> => pacedWork(() => control.signal(tree, "SIGKILL"));
  const killed = await isGoneWithin(KILL_DEADLINE_MS, tree, control, kill);
  return killed ? [] : control.scan(tree).members.map((member) => member.pid);
}

/** SIGKILL works at once, or never if the process waits for a dead disk. */
const KILL_DEADLINE_MS = 5_000;
const MAX_PAUSE_MS = 40;

async function isGoneWithin(
  ms: number,
  tree: TreeRecord,
  control: TreeControl,
  whileAlive?: () => Promise<void>,
): Promise<boolean> {
  const deadlineMs = performance.now() + ms;
  let pauseMs = 1;
  for (let emptyScans = 0; ; ) {
    const { members, isSure } = await pacedWork(() => control.scan(tree));
    emptyScans = members.length === 0 && isSure ? emptyScans + 1 : 0;
    if (emptyScans === 2) return true;
    if (emptyScans === 1) {
      await nextTurn();
      continue;
    }
    if (performance.now() >= deadlineMs) return false;
    await whileAlive?.();
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}

/** How long all trees together may block the event loop. */
const SLICE_MS = 10;

let lastWork: Promise<unknown> = Promise.resolve();
let sliceSinceMs = Number.NEGATIVE_INFINITY;

/**
 * Queues a short piece of work. When many trees end at once, each scan or signal takes a millisecond or more; without
 * yielding to the event loop in between, calls to other servers would wait for all of them.
 */
function pacedWork<Result>(work: () => Result): Promise<Result> {
  const done = lastWork.then(async () => {
    if (performance.now() - sliceSinceMs > SLICE_MS) {
      await nextTurn();
      sliceSinceMs = performance.now();
    }
    return work();
  });
  lastWork = done.catch(() => {});
  return done;
}
