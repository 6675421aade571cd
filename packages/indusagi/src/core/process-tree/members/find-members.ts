import type { ProcessRow, TreeRecord } from "./process-identity.ts";

/** The members of a tree in one reading of the process table. */
export interface FoundMembers {
  readonly members: readonly ProcessRow[];
  /** False if some process could not be classified yet. */
  readonly isSure: boolean;
}

/**
 * The living processes of a tree, found by group, session, parent, an earlier scan, or the cookie in the environment.
 * `holdsCookie` is expensive, so it is called last and only for processes younger than the tree.
 */
export function findMembers(
  rows: readonly ProcessRow[],
  tree: Pick<TreeRecord, "root" | "remembered">,
  holdsCookie: (row: ProcessRow) => boolean | undefined,
): FoundMembers {
  const { root, remembered } = tree;
  const { living, children } = indexOf(rows);
  const found = new Map<number, ProcessRow>();
  // The root's pid has been reused: the group with this number is not ours any more.
  const isGroupLost = rows.some((row) => row.pid === root.pid && row.startTime !== root.startTime);
  const ownsGroup = root.startTime === 0 || !isGroupLost;
  let isSure = true;

  for (const row of living) {
    const inGroup = ownsGroup && (row.group === root.pid || row.session === root.pid);
    if (inGroup || remembered.get(row.pid) === row.startTime) takeWithDescendants(row, children, found);
  }
  for (const row of living) {
    if (found.has(row.pid) || row.startTime < root.startTime) continue;
    const holds = holdsCookie(row);
    if (holds) takeWithDescendants(row, children, found);
    if (holds === undefined) isSure = false;
  }
  return { members: [...found.values()], isSure };
}

interface RowIndex {
  readonly living: readonly ProcessRow[];
  readonly children: ReadonlyMap<number, readonly ProcessRow[]>;
}

const indexes = new WeakMap<readonly ProcessRow[], RowIndex>();

/** Made once per listing, because many trees look at the same one. */
function indexOf(rows: readonly ProcessRow[]): RowIndex {
  const known = indexes.get(rows);
  if (known) return known;
  const living = rows.filter((row) => row.state !== "dead");
  const index = { living, children: childrenByParent(living) };
  indexes.set(rows, index);
  return index;
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

/** Not recursive: a chain of processes may be longer than the call stack allows. */
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
