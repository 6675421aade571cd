import { dirname, join } from "node:path";
import type { FsEntryInfo } from "indusagi/capabilities";
import {
  type FileMark,
  isFileMark,
  isFolderMark,
  isLinkMark,
  isOtherMark,
  isSameMark,
  isUntouchedMark,
  type PathMark,
} from "../file-mark.ts";
import type { NodeView } from "../store/store-view.ts";
import { openMode, opensFolder, type RewindStep, roomOf } from "./rewind-step.ts";
import type { FoundPath, SkipReason } from "./workspace.ts";

/** A path that is not as we left it. */
export interface RewindConflict {
  readonly path: string;
  /**
   * `changed`, `deleted` or `created`: by someone else since. `unclear`: by interrupted commands, or by someone else after
   * that. `not_compared`: too large or unreadable when the commands ended. `only_copy`: may be the only copy of something
   * that was not kept. `not_a_file`, `unreadable`: cannot be replaced.
   */
  readonly reason:
    | "changed"
    | "deleted"
    | "created"
    | "unclear"
    | "not_compared"
    | "only_copy"
    | "not_a_file"
    | "unreadable";
}

export interface SkippedPath {
  readonly path: string;
  readonly reason: SkipReason;
}

export interface PlannedStep extends Omit<RewindStep, "temp" | "old"> {
  /** The file that is there now. */
  readonly info?: FsEntryInfo | undefined;
}

export interface RewindPlan {
  /** In the order in which they can be done. */
  readonly steps: readonly PlannedStep[];
  readonly unchanged: readonly string[];
  readonly conflicts: readonly RewindConflict[];
  readonly skipped: readonly SkippedPath[];
}

/** The paths that the nodes changed. */
function changedPaths(nodes: readonly NodeView[]): string[] {
  return [...new Set(nodes.flatMap(({ before }) => [...before.keys()]))];
}

/** All paths that a plan needs to know about: those that the nodes changed, and the folders above them up to the roots. */
export function plannedPaths(nodes: readonly NodeView[], roots: readonly string[]): string[] {
  const paths = new Set<string>();
  for (const path of changedPaths(nodes)) {
    paths.add(path);
    for (const folder of foldersAbove(path, roots)) paths.add(folder);
  }
  return [...paths];
}

/** Plans how to undo these nodes, oldest first, starting from what is there now. */
export function planRewind(
  nodes: readonly NodeView[],
  found: ReadonlyMap<string, FoundPath>,
  { roots, force }: { readonly roots: readonly string[]; readonly force: boolean },
): RewindPlan {
  const paths = changedPaths(nodes);
  const decisions = new Map<string, Decision>();
  const isOnlyCopy = onlyCopies(nodes);
  const isFreed = (folder: string): boolean => {
    const { step, conflict } = decisions.get(folder) ?? {};
    return step !== undefined && !isFolderMark(step.from) && step.from !== "absent" && (force || !conflict);
  };
  // Folders first: nothing is below a link or file that a folder will replace.
  for (const path of paths.toSorted((a, b) => a.length - b.length)) {
    const isBelowFreed = foldersAbove(path, roots).some(isFreed);
    const now: FoundPath = isBelowFreed ? { mark: "absent" } : (found.get(path) ?? { blocked: "unreadable" });
    decisions.set(path, decide(path, now, { nodes, isOnlyCopy }));
  }
  for (const [path, { step }] of decisions)
    if (step && step.to !== "absent" && isFolderMark(step.from) && !isEmptied(path, found, decisions))
      decisions.set(path, blockedBy(path, "not_a_file"));
  const inOrder = paths.flatMap((path) => decisions.get(path) ?? []);
  return {
    steps: ordered(
      inOrder.flatMap(({ step }) => step ?? []),
      found,
      roots,
    ),
    unchanged: inOrder.flatMap(({ unchanged }) => unchanged ?? []),
    conflicts: inOrder.flatMap(({ conflict }) => conflict ?? []),
    skipped: inOrder.flatMap(({ skipped }) => skipped ?? []),
  };
}

/** A file replaces a folder only if everything in the folder is removed too. */
function isEmptied(
  path: string,
  found: ReadonlyMap<string, FoundPath>,
  decisions: ReadonlyMap<string, Decision>,
): boolean {
  const now = found.get(path);
  if (!now || !("names" in now)) return false;
  return (now.names ?? []).every((name) => {
    const inner = join(path, name);
    const { step } = decisions.get(inner) ?? {};
    if (step?.to !== "absent") return false;
    return !isFolderMark(step.from) || isEmptied(inner, found, decisions);
  });
}

function blockedBy(path: string, reason: "not_a_file" | "unreadable"): Decision {
  return { skipped: { path, reason }, conflict: { path, reason } };
}

interface Decision {
  readonly step?: PlannedStep;
  readonly unchanged?: string;
  readonly conflict?: RewindConflict;
  readonly skipped?: SkippedPath;
}

function decide(
  path: string,
  now: FoundPath,
  { nodes, isOnlyCopy }: { nodes: readonly NodeView[]; isOnlyCopy: ReturnType<typeof onlyCopies> },
): Decision {
  const to = nodes.find(({ before }) => before.has(path))?.before.get(path) ?? "unknown";
  const skip = (reason: SkipReason): Decision => ({ skipped: { path, reason } });
  if (isUntouchedMark(to)) return skip(to);
  if (isOtherMark(to)) return skip("unknown");
  const last = nodes.findLast(({ after, unclear }) => after.has(path) || unclear.has(path));
  const ours = last?.unclear.has(path) ? undefined : last?.after.get(path);
  // Edits never touch links or hard-linked files, but a command may have made them.
  const isFound = nodes.some((node) => node.found.has(path));
  const blocked = "blocked" in now ? now.blocked : blockOf(now, { to, ours, isFound });
  if (blocked === "not_a_file" || blocked === "unreadable") return blockedBy(path, blocked);
  if (blocked || "blocked" in now) return skip(blocked ?? "unreadable");
  if (isSameMark(now.mark, to)) return { unchanged: path };
  const step = { path, from: now.mark, to, info: "info" in now ? now.info : undefined };
  const isOurs = ours !== undefined && isSameMark(now.mark, ours);
  if (isFound && isFileMark(now.mark) && isOnlyCopy(path, now.mark, to))
    return { step, conflict: { path, reason: "only_copy" } };
  // Nothing is lost with an empty folder.
  if (isOurs || (isNoFile(now.mark) && isNoFile(to))) return { step };
  if (last?.unclear.has(path)) return { step, conflict: { path, reason: "unclear" } };
  const reason = ours && isUntouchedMark(ours) ? "not_compared" : changeBetween(ours ?? to, now.mark);
  return { step, conflict: { path, reason } };
}

/**
 * Finds files that may be the only copy of something that was not kept: a command can copy such a file and remove it, or move
 * it over another. Contents in the store do not count.
 */
function onlyCopies(nodes: readonly NodeView[]): (path: string, mark: FileMark, to: PathMark) => boolean {
  const hasLost = nodes.some(({ lost }) => lost.size > 0);
  if (!hasLost && nodes.every(({ moved }) => moved.size === 0)) return () => false;
  const kept = new Set(
    nodes.flatMap(({ before }) =>
      [...before.values()].flatMap((mark) => (isFileMark(mark) ? mark.hash : [])),
    ),
  );
  return (path, { hash }, to) =>
    !kept.has(hash) && ((hasLost && to === "absent") || nodes.some(({ moved }) => moved.has(path)));
}

function blockOf(
  now: Exclude<FoundPath, { readonly blocked: unknown }>,
  {
    to,
    ours,
    isFound,
  }: { readonly to: PathMark; readonly ours: PathMark | undefined; readonly isFound: boolean },
): SkipReason | undefined {
  const { mark } = now;
  if (isFolderMark(mark)) {
    const isExpected = isFolderMark(to) || (ours && isFolderMark(ours)) || (isFound && to === "absent");
    return isExpected ? undefined : "not_a_file";
  }
  if (mark === "absent") return undefined;
  if (isOtherMark(mark)) return isFound && ours && isOtherMark(ours) ? undefined : "not_a_file";
  if (isFound) return undefined;
  if (isLinkMark(mark)) return "symlink";
  return (now.info.links ?? 1) > 1 ? "hard_link" : undefined;
}

const isNoFile = (mark: PathMark): boolean => mark === "absent" || isFolderMark(mark);

function changeBetween(ours: PathMark, now: PathMark): RewindConflict["reason"] {
  if (now === "absent") return "deleted";
  return ours === "absent" ? "created" : "changed";
}

/**
 * Removes files first, then folders bottom-up, then creates folders top-down, then files. So each step finds the folders that
 * it needs.
 */
function ordered(
  steps: readonly PlannedStep[],
  found: ReadonlyMap<string, FoundPath>,
  roots: readonly string[],
): PlannedStep[] {
  const all = [...steps.flatMap(split), ...missingFolders(steps, found, roots)];
  const removed = new Set(all.flatMap(({ path, to }) => (to === "absent" ? [path] : [])));
  const isLasting = (folder: string): boolean => {
    const now = found.get(folder);
    return (
      roots.includes(folder) ||
      (now !== undefined && "mark" in now && isFolderMark(now.mark) && !removed.has(folder))
    );
  };
  const phase = (step: PlannedStep): number => {
    const { from, to } = step;
    if (opensFolder(step)) return -1;
    if (to === "absent") return isFolderMark(from) ? 1 : 0;
    return isFolderMark(to) ? 2 : 3;
  };
  const placed = all.map((step) => {
    const room = foldersAbove(step.path, roots).find(isLasting);
    return room === undefined || room === dirname(step.path) ? step : { ...step, room };
  });
  return [...placed, ...readOnlyFolders(placed, found)].toSorted((a, b) => {
    const order = phase(a) - phase(b);
    if (order !== 0 || phase(a) === 0 || phase(a) === 3) return order;
    return (a.path.length - b.path.length) * (phase(a) === 1 ? -1 : 1);
  });
}

/** Read-only folders in which something has to change: they are made writable first. */
function readOnlyFolders(
  steps: readonly PlannedStep[],
  found: ReadonlyMap<string, FoundPath>,
): PlannedStep[] {
  const folders = new Set(steps.flatMap((step) => [dirname(step.path), roomOf(step)]));
  return [...folders].flatMap((path) => {
    const now = found.get(path);
    if (!now || !("mark" in now) || !isFolderMark(now.mark)) return [];
    const { mark } = now;
    return openMode(mark.folder) === mark.folder ? [] : { path, from: mark, to: mark };
  });
}

function split(step: PlannedStep): PlannedStep[] {
  const { path, from, to } = step;
  if (from === "absent" || to === "absent" || (!isFolderMark(from) && !isFolderMark(to))) return [step];
  return [
    { ...step, to: "absent" },
    { path, from: "absent", to },
  ];
}

/** Edits do not record folders. Recreates missing ones with the mode of their parent. */
function missingFolders(
  steps: readonly PlannedStep[],
  found: ReadonlyMap<string, FoundPath>,
  roots: readonly string[],
): PlannedStep[] {
  const planned = new Set(steps.map(({ path }) => path));
  const missing = new Map<string, PlannedStep>();
  for (const { path, to } of steps) {
    if (to === "absent") continue;
    let mode = 0o755;
    for (const folder of foldersAbove(path, roots).toReversed()) {
      const now = found.get(folder);
      if (now && "mark" in now && isFolderMark(now.mark)) mode = now.mark.folder;
      else if (now && "mark" in now && now.mark === "absent" && !planned.has(folder))
        missing.set(folder, { path: folder, from: "absent", to: { folder: mode } });
    }
  }
  return [...missing.values()];
}

/** The folders of a path up to the root that it is in, nearest first. */
export function foldersAbove(path: string, roots: readonly string[]): string[] {
  const folders: string[] = [];
  for (let folder = path; !roots.includes(folder); ) {
    const above = dirname(folder);
    if (above === folder) return []; // Outside all roots.
    folders.push(above);
    folder = above;
  }
  return folders;
}

export const isEntryStep = ({ from, to }: PlannedStep): boolean =>
  isFileMark(from) || isLinkMark(from) || isOtherMark(from) || isFileMark(to) || isLinkMark(to);
