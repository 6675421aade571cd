import { dirname } from "node:path";
import { localFs } from "indusagi/capabilities";
import { isFolder, isSameMark, type PathMark } from "../file-mark.ts";
import type { SessionLog } from "../store/session-log.ts";
import { areSameFile, inStepFolder, removeFolder, takeNewName, tidyStep } from "./apply-step.ts";
import { type RewindStep, roomOf } from "./rewind-step.ts";
import { type RewindSite, stageFile } from "./stage-file.ts";
import { inspectPath } from "./workspace.ts";

/** How a rewind ended that was interrupted. */
export interface RecoveredRewind {
  readonly session: string;
  /** `undone`: no file was changed yet. */
  readonly state: "finished" | "undone";
  /** Files that were changed after the interruption, and so were left as they are. */
  readonly left: readonly string[];
}

/** Finishes or undoes the rewind of a session that was killed in the middle. Safe to repeat. */
export async function recoverRewind(
  site: RewindSite,
  { log, session }: { readonly log: SessionLog; readonly session: string },
): Promise<RecoveredRewind | undefined> {
  const { pending } = log.view;
  if (!pending) return undefined;
  const { node, steps } = pending;
  if (node === undefined) {
    for (const step of steps) await tidyStep(site, step).catch(() => {});
    await log.append([{ op: "end" }]);
    return { session, state: "undone", left: [] };
  }
  const left = new Set<string>();
  const ends = new Map(steps.map(({ path, to }) => [path, to]));
  for (const step of steps)
    if (!(await finishStep(site, step, ends.get(step.path) ?? step.to))) left.add(step.path);
  await log.append([{ op: "end", node }]);
  return { session, state: "finished", left: [...left] };
}

/**
 * Brings a path to its state. `end`: the state after the last step of the path. Returns false if the path has a state that
 * the rewind has not seen.
 */
async function finishStep(site: RewindSite, step: RewindStep, end: PathMark): Promise<boolean> {
  await inStepFolder(site, step, (paths) => mergeNames(site, step, paths)).catch(
    () => {}, // The folder is gone, or is not what it was; `inspectPath` decides.
  );
  const found = await inspectPath(site, step.path);
  const isDone = "mark" in found && (isSameMark(found.mark, step.to) || isSameMark(found.mark, end));
  const isOurs = "mark" in found && (found.mark === "absent" || isSameMark(found.mark, step.from));
  if (!isDone && isOurs) await redoStep(site, step, found.mark === "absent");
  await tidyStep(site, step).catch(() => {});
  return isDone || isOurs;
}

/** The old or the new file may have two names, or the old one only its second. */
async function mergeNames(
  { disk }: RewindSite,
  step: RewindStep,
  { target, temp, old }: { readonly target: string; readonly temp: string; readonly old: string },
): Promise<void> {
  if (temp !== "" && (await areSameFile(disk, temp, target))) await disk.remove(temp);
  if (old === "" || !(await disk.look(old))) return;
  if (await areSameFile(disk, old, target)) await disk.remove(old);
  else if (step.to !== "absent" && !(await disk.look(target))) await disk.rename(old, target);
}

async function redoStep(site: RewindSite, step: RewindStep, isAbsent: boolean): Promise<void> {
  const { disk } = site;
  const { from, to } = step;
  if (to === "absent") {
    if (!isAbsent)
      await inStepFolder(site, step, ({ target }) =>
        isFolder(from) ? removeFolder(disk, target, false) : disk.remove(target),
      );
    return;
  }
  if (isFolder(to)) return inStepFolder(site, step, ({ target }) => disk.mkdir(target, to.folder));
  const { old: _, ...withoutOld } = step;
  await tidyStep(site, withoutOld).catch(() => {});
  // Someone may have removed the folder since.
  const fs = localFs({ read: site.roots, write: site.roots });
  for (const folder of [dirname(step.path), roomOf(step)]) await fs.mkdir(folder, { recursive: true });
  await stageFile(site, step);
  await inStepFolder(site, step, async ({ folder, target, temp }) => {
    await (isAbsent ? takeNewName(disk, to, { temp, target }) : disk.rename(temp, target));
    await disk.syncFolder(folder.realPath);
  });
}
