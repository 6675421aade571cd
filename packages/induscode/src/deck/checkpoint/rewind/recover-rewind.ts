import { dirname, join } from "node:path";
import { FsError, localFs } from "indusagi/capabilities";
import { errorCode } from "indusagi/core";
import { CheckpointError } from "../checkpoint-error.ts";
import { isFileMark, isFolderMark, isSameMark, type PathMark } from "../file-mark.ts";
import type { SessionLog } from "../store/session-log.ts";
import {
  areSameFile,
  closeFolders,
  inStepFolder,
  openFolders,
  removeFolder,
  takeNewName,
  tidyStep,
} from "./apply-step.ts";
import { openMode, type RewindStep, roomOf } from "./rewind-step.ts";
import { type RewindSite, stageFile } from "./stage-file.ts";
import { inspectPath } from "./workspace.ts";

/** How an interrupted rewind ended. */
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
    await closeFolders(site, steps, "from");
    await log.append([{ op: "end" }]);
    return { session, state: "undone", left: [] };
  }
  const left = new Set<string>();
  await openFolders(site, steps).catch(() => {}); // One may be gone. A step that needs it fails anyway.
  const ends = new Map(steps.map(({ path, to }) => [path, to]));
  for (const step of steps)
    if (!(await finishStep(site, step, ends.get(step.path) ?? step.to))) left.add(step.path);
  await closeFolders(site, steps, "to");
  await log.append([{ op: "end", node }]);
  return { session, state: "finished", left: [...left] };
}

/**
 * Finishes the step of a path. `end`: the state after the last step of the path. Returns false if the path is in a state that
 * the rewind has not seen.
 */
async function finishStep(site: RewindSite, step: RewindStep, end: PathMark): Promise<boolean> {
  await inStepFolder(site, step, (paths) => mergeNames(site, paths)).catch(
    () => {}, // The folder is gone or was replaced; `inspectPath` decides.
  );
  const found = await inspectPath(site, step.path);
  const isDone = "mark" in found && (isSameMark(found.mark, step.to) || isSameMark(found.mark, end));
  const isOurs = "mark" in found && (found.mark === "absent" || isSameMark(found.mark, step.from));
  const isRedone =
    !isDone &&
    isOurs &&
    (await redoStep(site, step, found.mark === "absent").then(
      () => true,
      (thrown: unknown) => {
        if (!isPermanent(thrown)) throw thrown;
        return false;
      },
    ));
  await tidyStep(site, step).catch(() => {});
  return isDone || isRedone;
}

/** Errors that a retry would meet again, such as lost content. They must not keep the store from opening forever. */
function isPermanent(thrown: unknown): boolean {
  if (thrown instanceof CheckpointError) return thrown.kind === "corrupt";
  if (thrown instanceof FsError) return PERMANENT.has(thrown.kind);
  return PERMANENT.has(errorCode(thrown) ?? "");
}

const PERMANENT: ReadonlySet<string> = new Set([
  ...["ENOENT", "ENOTDIR", "EEXIST", "ELOOP"],
  ...(["not_found", "not_directory", "exists", "outside"] satisfies FsError["kind"][]),
]);

/** The old or new file may have two names, or the old one only its temporary name. */
async function mergeNames(
  { disk }: RewindSite,
  { target, temp, old }: { readonly target: string; readonly temp: string; readonly old: string },
): Promise<void> {
  if (temp !== "" && (await areSameFile(disk, temp, target))) await disk.remove(temp);
  if (old === "" || !(await disk.look(old))) return;
  if (await areSameFile(disk, old, target)) await disk.remove(old);
  else if (!(await disk.look(target))) await disk.rename(old, target);
}

async function redoStep(site: RewindSite, step: RewindStep, isAbsent: boolean): Promise<void> {
  const { disk } = site;
  const { from, to } = step;
  if (to === "absent") {
    if (!isAbsent)
      await inStepFolder(site, step, ({ target }) =>
        isFolderMark(from) ? removeFolder(disk, target, false) : disk.remove(target),
      );
    return;
  }
  // Someone may have removed the folder since.
  const fs = localFs({ read: site.roots, write: site.roots });
  for (const folder of [dirname(step.path), roomOf(step)]) await fs.mkdir(folder, { recursive: true });
  if (isFolderMark(to))
    return inStepFolder(site, step, ({ target }) => disk.mkdir(target, openMode(to.folder)));
  if (!(await isStaged(site, step))) {
    const { old: _, ...withoutOld } = step;
    await tidyStep(site, withoutOld).catch(() => {});
    await stageFile(site, step);
  }
  await inStepFolder(site, step, async ({ folder, target, temp }) => {
    await (isAbsent ? takeNewName(disk, to, { temp, target }) : disk.rename(temp, target));
    await disk.syncFolder(folder.realPath);
  });
}

/** The staged file was flushed, the content in the store was not: after a power cut it may be the only copy. */
async function isStaged(site: RewindSite, step: RewindStep): Promise<boolean> {
  const { to, temp } = step;
  if (temp === undefined || to === "absent" || !isFileMark(to)) return false;
  const found = await inspectPath(site, join(roomOf(step), temp));
  return "mark" in found && isFileMark(found.mark) && found.mark.hash === to.hash;
}
