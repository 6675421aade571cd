import type { ProcessIdentity } from "./process-identity.ts";
import type { TreeRecord } from "./tree-record.ts";

/** What was seen of a tree. */
interface TreeSight {
  readonly members: readonly ProcessIdentity[];
  /** Whether there are no others for certain. */
  readonly isSure: boolean;
}

/** What a platform can see of a tree and do to it. */
export interface TreeControl {
  readonly startTimeOf: (pid: number) => number | undefined;
  /** The tree's living processes, now. Those found are remembered on the record. */
  look(tree: TreeRecord): TreeSight;
  /** Remembers those of many trees at the price of one look. */
  lookAtAll(trees: Iterable<TreeRecord>): void;
  /** Sends a signal to every living process of the tree. */
  signal(tree: TreeRecord, signal: NodeJS.Signals): void;
}

/** The way of this platform, loaded when the first tree is started. */
export function loadTreeControl(): Promise<TreeControl> {
  loading ??= load();
  return loading;
}

let loading: Promise<TreeControl> | undefined;

async function load(): Promise<TreeControl> {
  if (process.platform === "win32") return (await import("./windows-tree-control.ts")).windowsTreeControl;
  const { createPosixTreeControl } = await import("./posix-tree-control.ts");
  const { procProcessTable } = await import("./proc-process-table.ts");
  if (procProcessTable.startTimeOf(process.pid) !== undefined)
    return createPosixTreeControl(procProcessTable);
  return createPosixTreeControl((await import("./ps-process-table.ts")).psProcessTable);
}
