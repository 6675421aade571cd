import type { ProcessIdentity } from "../members/process-identity.ts";
import type { TreeRecord } from "../members/tree-record.ts";

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
