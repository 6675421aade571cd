import type { ProcessRow } from "./process-identity.ts";
import type { TreeRecord } from "./tree-record.ts";

/** What one look at the process table shows of a tree. */
export interface Sight {
  readonly members: readonly ProcessRow[];
  /** Nobody was met of whom it could not be told yet whether he belongs to it. */
  readonly isSure: boolean;
}

/**
 * The living processes of a tree, by every trace they can leave: group, session, parent, an earlier sight, the cookie.
 * `holdsCookie` is the dear question and is asked last, and only of processes younger than the tree.
 */
export function findMembers(
  rows: readonly ProcessRow[],
  tree: Pick<TreeRecord, "root" | "remembered">,
  holdsCookie: (pid: number) => boolean | undefined,
): Sight {
  const { root, remembered } = tree;
  const living = rows.filter((row) => row.state !== "dead");
  const children = childrenByParent(living);
  const found = new Map<number, ProcessRow>();
  // Another process under the root's number: the group that bears this number now is not ours.
  const isGroupLost = rows.some((row) => row.pid === root.pid && row.startTime !== root.startTime);
  const ownsGroup = root.startTime === 0 || !isGroupLost;
  let isSure = true;

  for (const row of living) {
    const inGroup = ownsGroup && (row.group === root.pid || row.session === root.pid);
    if (inGroup || remembered.get(row.pid) === row.startTime) takeWithDescendants(row, children, found);
  }
  for (const row of living) {
    if (found.has(row.pid) || row.startTime < root.startTime) continue;
    const holds = holdsCookie(row.pid);
    if (holds) takeWithDescendants(row, children, found);
    if (holds === undefined) isSure = false;
  }
  return { members: [...found.values()], isSure };
}

function childrenByParent(rows: readonly ProcessRow[]): Map<number, ProcessRow[]> {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  return children;
}

/** With a stack of its own: a chain of processes may be deeper than ours. */
function takeWithDescendants(
  first: ProcessRow,
  children: ReadonlyMap<number, readonly ProcessRow[]>,
  found: Map<number, ProcessRow>,
): void {
  const waiting = [first];
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    if (found.has(row.pid)) continue;
    found.set(row.pid, row);
    waiting.push(...(children.get(row.pid) ?? []));
  }
}
