import type { ProcessIdentity, TreeRecord } from "../members/process-identity.ts";

/** The result of one scan for a tree's processes. */
interface TreeScan {
  readonly members: readonly ProcessIdentity[];
  /** False if there may be more. */
  readonly isSure: boolean;
}

/** Finds and signals the processes of a tree, on one platform. */
export interface TreeControl {
  readonly startTimeOf: (pid: number) => number | undefined;
  /** Finds the tree's living processes and remembers them on the record. */
  scan(tree: TreeRecord): TreeScan;
  /** Scans for many trees with one reading of the process table. */
  scanAll(trees: readonly TreeRecord[]): void;
  /** Sends a signal to every living process of the tree. */
  signal(tree: TreeRecord, signal: NodeJS.Signals): void;
  /** Kills trees before it returns. Absent where `signal` does so. */
  killNow?(trees: readonly TreeRecord[]): void;
}
