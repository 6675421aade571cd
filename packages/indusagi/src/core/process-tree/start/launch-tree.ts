import { mintUlid } from "../../ulid.ts";
import { FollowedTree } from "../end/followed-tree.ts";
import { loadTreeControl } from "../end/load-tree-control.ts";
import type { TreeControl } from "../end/tree-control.ts";
import type { TreeRecord } from "../members/tree-record.ts";
import type { ProcessTree, TreeOptions } from "../process-tree.ts";
import { announceTree, ownTree, retractTree } from "../watchdog/owned-trees.ts";
import { spawnChild } from "./spawn-child.ts";

/** The implementation of `startTree`, loaded on first use. */
export async function launchTree(
  command: string,
  args: readonly string[],
  options: TreeOptions,
): Promise<ProcessTree> {
  const control = await loadTreeControl();
  const cookie = mintUlid();
  announceTree(cookie);
  try {
    const child = await spawnChild(command, args, { ...options, cookie });
    const record = recordOf(child.pid, cookie, control);
    ownTree(record, control);
    return new FollowedTree(child, { record, control, options });
  } catch (thrown) {
    retractTree(cookie);
    throw thrown;
  }
}

function recordOf(pid: number, cookie: string, control: TreeControl): TreeRecord {
  const startTime = control.startTimeOf(pid) ?? 0;
  return {
    cookie,
    root: { pid, startTime },
    remembered: new Map([[pid, startTime]]),
    sinceMs: performance.now(),
    rootExited: false,
  };
}
