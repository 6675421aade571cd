import type { FsEntryInfo } from "indusagi/capabilities";
import { isSameMark, type PathMark } from "../file-mark.ts";
import type { NodeView } from "../store/store-view.ts";
import type { RewindStep } from "./rewind-step.ts";
import type { FoundPath, SkipReason } from "./workspace.ts";

/** A path that is not as we left it. */
export interface RewindConflict {
  readonly path: string;
  /** `changed`, `deleted` or `created` by someone else since, or no file that can be replaced. */
  readonly reason: "changed" | "deleted" | "created" | "not_a_file" | "unreadable";
}

export interface SkippedPath {
  readonly path: string;
  readonly reason: SkipReason;
}

export interface PlannedStep extends Omit<RewindStep, "temp" | "old"> {
  /** The file that is there now. */
  readonly info?: FsEntryInfo;
}

export interface RewindPlan {
  readonly steps: readonly PlannedStep[];
  readonly unchanged: readonly string[];
  readonly conflicts: readonly RewindConflict[];
  readonly skipped: readonly SkippedPath[];
}

/** The paths that the nodes changed. */
export function changedPaths(nodes: readonly NodeView[]): string[] {
  return [...new Set(nodes.flatMap(({ before }) => [...before.keys()]))];
}

/** What undoing these nodes, given oldest first, does to each path, from what is there now. */
export function planRewind(nodes: readonly NodeView[], found: ReadonlyMap<string, FoundPath>): RewindPlan {
  const steps: PlannedStep[] = [];
  const unchanged: string[] = [];
  const conflicts: RewindConflict[] = [];
  const skipped: SkippedPath[] = [];
  for (const path of changedPaths(nodes)) {
    const to = nodes.find(({ before }) => before.has(path))?.before.get(path) ?? "unknown";
    const now = found.get(path) ?? { blocked: "unreadable" };
    if (to === "unknown") skipped.push({ path, reason: "unknown" });
    else if ("blocked" in now) {
      skipped.push({ path, reason: now.blocked });
      if (now.blocked === "not_a_file" || now.blocked === "unreadable")
        conflicts.push({ path, reason: now.blocked });
    } else if (isSameMark(now.mark, to)) unchanged.push(path);
    else {
      const ours = nodes.findLast(({ after }) => after.has(path))?.after.get(path);
      if (ours === undefined || !isSameMark(now.mark, ours))
        conflicts.push({ path, reason: changeBetween(ours ?? to, now.mark) });
      steps.push({ path, from: now.mark, to, ...("info" in now ? { info: now.info } : {}) });
    }
  }
  return { steps, unchanged, conflicts, skipped };
}

function changeBetween(ours: PathMark, now: PathMark): RewindConflict["reason"] {
  if (now === "absent") return "deleted";
  return ours === "absent" ? "created" : "changed";
}
