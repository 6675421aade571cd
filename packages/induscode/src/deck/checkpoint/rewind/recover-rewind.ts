import { isSameMark } from "../file-mark.ts";
import type { SessionLog } from "../store/session-log.ts";
import { areSameFile, inStepFolder, takeNewName, tidyStep } from "./apply-step.ts";
import type { RewindStep } from "./rewind-step.ts";
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
  const left: string[] = [];
  for (const step of steps) if (!(await finishStep(site, step))) left.push(step.path);
  await log.append([{ op: "end", node }]);
  return { session, state: "finished", left };
}

/** Brings a path to its state. Returns false if the path has a state that the rewind has not seen. */
async function finishStep(site: RewindSite, step: RewindStep): Promise<boolean> {
  const isHere = await inStepFolder(site, step, (paths) => mergeNames(site, step, paths)).then(
    () => true,
    () => false, // The folder is gone, or is not what it was; `inspectPath` decides.
  );
  const found = await inspectPath(site, step.path);
  const isDone = "mark" in found && isSameMark(found.mark, step.to);
  const isOurs = "mark" in found && (found.mark === "absent" || isSameMark(found.mark, step.from));
  if (!isDone && isOurs) await redoStep(site, step, found.mark === "absent");
  if (isHere) await tidyStep(site, step).catch(() => {});
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
  if (step.to === "absent") {
    if (isAbsent) return;
    return inStepFolder(site, step, ({ target }) => disk.remove(target));
  }
  const { old: _, ...withoutOld } = step;
  await tidyStep(site, withoutOld).catch(() => {});
  await stageFile(site, step);
  await inStepFolder(site, step, async ({ folder, target, temp }) => {
    await (isAbsent ? takeNewName(disk, temp, target) : disk.rename(temp, target));
    await disk.syncFolder(folder.realPath);
  });
}
