import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { TreeRecord } from "../members/tree-record.ts";
import type { TreeControl } from "./tree-control.ts";

/**
 * Ends every process of a tree: SIGTERM, so much grace, SIGKILL until none is left. Two looks in a row must find
 * none, because one look takes time and a process can be born behind its back.
 *
 * Resolves with the numbers of those that could not be ended: another user's, or stuck in the kernel. Normally none.
 */
export async function endTree(
  tree: TreeRecord,
  control: TreeControl,
  graceMs: number,
): Promise<readonly number[]> {
  if (await isGoneWithin(0, tree, control)) return [];
  control.signal(tree, "SIGTERM");
  if (await isGoneWithin(graceMs, tree, control)) return [];
  const killed = await isGoneWithin(KILL_DEADLINE_MS, tree, control, () => control.signal(tree, "SIGKILL"));
  return killed ? [] : control.look(tree).members.map((member) => member.pid);
}

/** SIGKILL works at once or, on a process that waits for a dead disk, never. */
const KILL_DEADLINE_MS = 5_000;
const MAX_PAUSE_MS = 40;

async function isGoneWithin(
  ms: number,
  tree: TreeRecord,
  control: TreeControl,
  whileAlive?: () => void,
): Promise<boolean> {
  const deadlineMs = performance.now() + ms;
  let pauseMs = 1;
  for (let quietLooks = 0; ; ) {
    const { members, isSure } = control.look(tree);
    quietLooks = members.length === 0 && isSure ? quietLooks + 1 : 0;
    if (quietLooks === 2) return true;
    if (quietLooks === 1) {
      await nextTurn();
      continue;
    }
    if (performance.now() >= deadlineMs) return false;
    whileAlive?.();
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}
