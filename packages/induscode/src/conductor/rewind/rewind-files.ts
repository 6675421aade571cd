import type { SessionRewind } from "../contract.ts";
import type { FileMark } from "../transcript/session-state.ts";
import type { FileHistory, HistoryRewind, PathReason } from "./file-history.ts";
import type { TreeSnapshots } from "./tree-snapshots.ts";

export interface RewindFilesOptions {
  readonly history?: FileHistory | undefined;
  readonly snapshots?: TreeSnapshots | undefined;
  readonly force: boolean;
}

/**
 * Undoes the changes of several turns: those of our own tools by the checkpoint store, those of commands by the snapshots. All
 * or nothing: if a file differs from what these turns left, nothing is changed, unless `force` is set.
 */
export async function rewindFiles(
  marks: readonly FileMark[],
  { history, snapshots, force }: RewindFilesOptions,
): Promise<SessionRewind> {
  const plan = snapshots ? await planTrees(marks, history, snapshots) : EMPTY_PLAN;
  if (plan.conflicts.length > 0 && !force) return { ...NOTHING, conflicts: plan.conflicts };
  const undone = await rewindHistory(marks, history, { plan, force });
  if (!undone.done) return { ...NOTHING, conflicts: undone.conflicts, skipped: undone.skipped };
  const restored = new Set(undone.restored);
  const removed = new Set(undone.removed);
  for (const [tree, paths] of plan.targets) {
    const files = (await snapshots?.restore(tree, paths)) ?? { restored: [], removed: [] };
    for (const path of files.restored) restored.add(path);
    for (const path of files.removed) removed.add(path);
  }
  return {
    done: true,
    restored: [...restored].filter((path) => !removed.has(path)),
    removed: [...removed],
    conflicts: plan.conflicts,
    skipped: undone.skipped,
  };
}

const NOTHING: SessionRewind = { done: false, restored: [], removed: [], conflicts: [], skipped: [] };

interface TreePlan {
  /** The files to restore, by the snapshot that has them. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  readonly conflicts: readonly PathReason[];
  /** Files that commands changed, and that are as these turns left them. */
  readonly explained: ReadonlySet<string>;
}

const EMPTY_PLAN: TreePlan = { targets: new Map(), conflicts: [], explained: new Set() };

const UNCLEAR = "changed in a turn that was cut off, or after it";

/** The earliest state of a file wins: that of the checkpoint store, if it was kept before the first snapshot. */
async function planTrees(
  marks: readonly FileMark[],
  history: FileHistory | undefined,
  snapshots: TreeSnapshots,
): Promise<TreePlan> {
  if (!marks.some(({ before }) => before !== undefined)) return EMPTY_PLAN;
  const present = await snapshots.take();
  const kept = new Map(history?.nodes.map(({ id, paths }) => [id, paths]));
  const inHistory = new Set<string>();
  const targetOf = new Map<string, string>();
  const leftBy = new Map<string, string>();
  /** Changed in a turn whose end was not kept, or after it by someone else. The checkpoint store knows what it wrote itself. */
  const unclear = new Set<string>();
  for (const { node, before, after, earlier = [] } of marks) {
    const own = kept.get(node ?? "") ?? [];
    if (before !== undefined) {
      for (const path of earlier) inHistory.add(path);
      for (const path of await snapshots.changes(before, after ?? present)) {
        if (!inHistory.has(path) && !targetOf.has(path)) targetOf.set(path, before);
        if (after !== undefined) {
          leftBy.set(path, after);
          unclear.delete(path);
        } else if (!own.includes(path)) unclear.add(path);
      }
    }
    for (const path of own) if (!targetOf.has(path)) inHistory.add(path);
  }
  for (const path of unclear) leftBy.delete(path);
  const conflicts = [
    ...(await changedSince(leftBy, { present, snapshots })),
    ...[...unclear].map((path) => ({ path, reason: UNCLEAR })),
  ];
  const changed = new Set(conflicts.map(({ path }) => path));
  return {
    targets: grouped(targetOf),
    conflicts: conflicts.filter(({ path }) => targetOf.has(path)),
    explained: new Set([...leftBy.keys()].filter((path) => !changed.has(path))),
  };
}

function grouped(targetOf: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const [path, tree] of targetOf) {
    const group = groups.get(tree);
    if (group) group.push(path);
    else groups.set(tree, [path]);
  }
  return groups;
}

/** The files that were changed outside of the session, after the turn that changed them last. */
async function changedSince(
  leftBy: ReadonlyMap<string, string>,
  { present, snapshots }: { readonly present: string; readonly snapshots: TreeSnapshots },
): Promise<readonly PathReason[]> {
  const found: PathReason[] = [];
  for (const after of new Set(leftBy.values()))
    for (const path of await snapshots.changes(after, present))
      if (leftBy.get(path) === after) found.push({ path, reason: "changed" });
  return found;
}

const NO_HISTORY: HistoryRewind = { done: true, restored: [], removed: [], conflicts: [], skipped: [] };

async function rewindHistory(
  marks: readonly FileMark[],
  history: FileHistory | undefined,
  { plan, force }: { readonly plan: TreePlan; readonly force: boolean },
): Promise<HistoryRewind> {
  const known = new Set(history?.nodes.map(({ id }) => id));
  const first = marks.find(({ node }) => node !== undefined && known.has(node))?.node;
  if (!history || first === undefined) return NO_HISTORY;
  const report = await history.rewind(first, { force });
  // A file that we wrote and a command of the session formatted is no conflict.
  const isExplained = report.conflicts.every(({ path }) => plan.explained.has(path));
  return report.done || !isExplained ? report : history.rewind(first, { force: true });
}
