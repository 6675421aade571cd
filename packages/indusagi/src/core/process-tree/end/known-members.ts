import type { ProcessRow } from "../members/process-identity.ts";
import type { TreeRecord } from "../members/tree-record.ts";

/**
 * The processes that belong to a tree by group or session. Their cookies are not read for other trees: on a busy
 * machine reading the environment of a process that is just starting can wait for that process.
 */
export class KnownMembers {
  #trees: ReadonlyMap<number, { readonly startTime: number; readonly tree: TreeRecord }> = new Map();

  /** Replaces what was known. One pass for all trees, because there can be hundreds. */
  learn(rows: readonly ProcessRow[], trees: readonly TreeRecord[]): void {
    const starts = new Map(rows.map(({ pid, startTime }) => [pid, startTime]));
    // If the start of its root is not known, or its pid was reused, a tree may not own its group.
    const sure = trees.filter(
      ({ root }) => root.startTime > 0 && (starts.get(root.pid) ?? root.startTime) === root.startTime,
    );
    const byRoot = new Map(sure.map((tree) => [tree.root.pid, tree]));
    this.#trees = new Map(
      rows.flatMap(({ pid, startTime, group, session }) => {
        const tree = byRoot.get(group) ?? byRoot.get(session);
        return tree ? [[pid, { startTime, tree }] as const] : [];
      }),
    );
  }

  isOfOther(tree: TreeRecord, { pid, startTime }: ProcessRow): boolean {
    const known = this.#trees.get(pid);
    return known !== undefined && known.startTime === startTime && known.tree !== tree;
  }
}
