import { findMembers } from "../members/find-members.ts";
import type { ProcessRow } from "../members/process-identity.ts";
import type { TreeRecord } from "../members/tree-record.ts";

/**
 * The processes that belong to a tree by group, session or parent. Their cookies are not read for other trees: on a busy
 * machine reading the environment of a process that is just starting can wait for that process.
 */
export class KnownMembers {
  #trees: ReadonlyMap<number, { readonly startTime: number; readonly tree: TreeRecord }> = new Map();

  /** Replaces what was known. */
  learn(rows: readonly ProcessRow[], trees: readonly TreeRecord[]): void {
    // If the start of its root is not known, a tree may not even own its group.
    const sure = trees.filter(({ root }) => root.startTime > 0);
    this.#trees = new Map(
      sure.flatMap((tree) => {
        const { members } = findMembers(rows, tree, () => false);
        return members.map(({ pid, startTime }) => [pid, { startTime, tree }] as const);
      }),
    );
  }

  isOfOther(tree: TreeRecord, { pid, startTime }: ProcessRow): boolean {
    const known = this.#trees.get(pid);
    return known !== undefined && known.startTime === startTime && known.tree !== tree;
  }
}
