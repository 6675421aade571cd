import { basename, dirname } from "node:path";
import type { FsEntryInfo, HeldFolder } from "indusagi/capabilities";
import { errorCode } from "indusagi/core";
import { isFolderMark, isLinkMark, isOtherMark, type PathMark } from "../file-mark.ts";
import { type CheckpointDisk, removeIfThere } from "../store/checkpoint-disk.ts";
import { openMode, opensFolder, type RewindStep, roomOf } from "./rewind-step.ts";
import { enterFolder, type Workspace } from "./workspace.ts";

/** The paths of a step, through held folders. */
interface StepPaths {
  readonly folder: HeldFolder;
  readonly room: HeldFolder;
  readonly target: string;
  readonly temp: string;
  readonly old: string;
}

/** Runs `use` with the folders of a step held. */
export async function inStepFolder<Value>(
  workspace: Workspace,
  step: RewindStep,
  use: (paths: StepPaths) => Promise<Value>,
): Promise<Value> {
  return inFolder(workspace, dirname(step.path), (folder) =>
    inRoom(workspace, step, ({ room, temp, old }) =>
      use({ folder, room, target: folder.child(basename(step.path)), temp, old }),
    ),
  );
}

/** Only the folder of the temporary names: the folder of the path may be gone. */
function inRoom<Value>(
  workspace: Workspace,
  step: RewindStep,
  use: (paths: Pick<StepPaths, "room" | "temp" | "old">) => Promise<Value>,
): Promise<Value> {
  const { temp = "", old = "" } = step;
  return inFolder(workspace, roomOf(step), (room) => {
    const child = (name: string): string => (name === "" ? "" : room.child(name));
    return use({ room, temp: child(temp), old: child(old) });
  });
}

async function inFolder<Value>(
  workspace: Workspace,
  path: string,
  use: (folder: HeldFolder) => Promise<Value>,
): Promise<Value> {
  const folder = await enterFolder(workspace, path);
  try {
    return await use(folder);
  } finally {
    await folder.close();
  }
}

/**
 * Moves the staged file into place, or removes the file, if it is still the one that was inspected. The old file keeps its
 * temporary name until the rewind has ended.
 */
export function applyStep(
  workspace: Workspace,
  step: RewindStep,
  info: FsEntryInfo | undefined,
  isNeeded: boolean,
): Promise<void> {
  const { disk } = workspace;
  const { path, from, to } = step;
  return inStepFolder(workspace, step, async ({ target, temp, old }) => {
    if (opensFolder(step)) return;
    if (isFolderMark(from)) return removeFolder(disk, target, isNeeded);
    const changed = new Error(`${path} was changed by another program meanwhile`);
    if (!isSameFile(await disk.look(target), info)) throw changed;
    if (from !== "absent") {
      // Move whatever is there aside: renaming over it would remove a file that took its place since.
      await disk.rename(target, old);
      if (!isSameFile(await disk.look(old), info)) throw changed;
    }
    if (to === "absent") return;
    if (isFolderMark(to)) await disk.mkdir(target, openMode(to.folder));
    else await takeNewName(disk, to, { temp, target });
  });
}

/** Makes read-only folders writable while the rewind runs. */
export async function openFolders(workspace: Workspace, steps: readonly RewindStep[]): Promise<void> {
  for (const step of steps)
    if (opensFolder(step) && isFolderMark(step.from))
      await setMode(workspace, step, openMode(step.from.folder));
}

/** Sets the folders of these steps to their final permissions, or back to the original ones. */
export async function closeFolders(
  workspace: Workspace,
  steps: readonly RewindStep[],
  side: "from" | "to",
): Promise<void> {
  const marks = new Map<string, [RewindStep, PathMark]>();
  for (const step of side === "to" ? steps : steps.toReversed()) marks.set(step.path, [step, step[side]]);
  // Deepest first: the folders above must stay accessible.
  for (const [step, mark] of [...marks.values()].toSorted(([a], [b]) => b.path.length - a.path.length))
    if (isFolderMark(mark) && openMode(mark.folder) !== mark.folder)
      await setMode(workspace, step, mark.folder).catch(() => {}); // It is gone, or belongs to another user.
}

function setMode(workspace: Workspace, { path }: RewindStep, mode: number): Promise<void> {
  return inFolder(workspace, dirname(path), (folder) =>
    workspace.disk.setFolderMode(folder.child(basename(path)), mode),
  );
}

const NOT_EMPTY: ReadonlySet<string | undefined> = new Set(["ENOTEMPTY", "EEXIST"]);

/** A folder may still hold ignored files that commands left. Then it stays, unless its place is needed. */
export async function removeFolder(disk: CheckpointDisk, path: string, isNeeded: boolean): Promise<void> {
  try {
    await disk.removeFolder(path);
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code !== "ENOENT" && (isNeeded || !NOT_EMPTY.has(code))) throw thrown;
  }
}

/** Flushes the folders of these steps to disk. Skips folders that are gone. */
export async function flushSteps(workspace: Workspace, steps: readonly RewindStep[]): Promise<void> {
  const folders = new Set(steps.flatMap((step) => [dirname(step.path), roomOf(step)]));
  const removed = new Set(
    steps.flatMap(({ path, from, to }) => (isFolderMark(from) && to === "absent" ? [path] : [])),
  );
  for (const path of folders)
    await inFolder(workspace, path, (folder) => workspace.disk.syncFolder(folder.realPath)).catch(
      (thrown: unknown) => {
        if (!removed.has(path)) throw thrown;
      },
    );
}

/**
 * Puts back what a step removed, even if the step stopped halfway. Rejects if another program took the place: the next start
 * then finishes the rewind and leaves that file alone.
 */
export function revertStep(workspace: Workspace, step: RewindStep, isComplete: boolean): Promise<void> {
  const { disk } = workspace;
  const { from, to } = step;
  return inStepFolder(workspace, step, async ({ folder, target, temp, old }) => {
    if (opensFolder(step)) return;
    if (isFolderMark(from)) {
      if (!(await disk.look(target))) await disk.mkdir(target, openMode(from.folder));
    } else if (to !== "absent" && isFolderMark(to)) {
      if (isComplete) await removeFolder(disk, target, false);
    } else {
      if (from !== "absent" && !(await disk.look(old))) return;
      if (await isPlaced(disk, step, { target, temp, isComplete })) await removeIfThere(disk, target);
      if (from !== "absent") await putBack(disk, from, { old, target });
    }
    await disk.syncFolder(folder.realPath);
  });
}

/** Removes the temporary names of a step. */
export function tidyStep(workspace: Workspace, step: RewindStep): Promise<void> {
  return inRoom(workspace, step, async ({ temp, old }) => {
    for (const name of [temp, old]) if (name !== "") await removeIfThere(workspace.disk, name);
  });
}

export async function areSameFile(disk: CheckpointDisk, a: string, b: string): Promise<boolean> {
  const [one, other] = [await disk.look(a), await disk.look(b)];
  return one !== undefined && one.identity === other?.identity;
}

function isSameFile(now: FsEntryInfo | undefined, planned: FsEntryInfo | undefined): boolean {
  return (
    now?.identity === planned?.identity &&
    now?.size === planned?.size &&
    now?.modifiedMs === planned?.modifiedMs &&
    now?.mode === planned?.mode
  );
}

/** Error codes of file systems without hard links. */
const CANNOT_LINK: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/** Whether the entry at the step's path is the one that the step put there. */
async function isPlaced(
  disk: CheckpointDisk,
  { to }: RewindStep,
  { target, temp, isComplete }: { target: string; temp: string; isComplete: boolean },
): Promise<boolean> {
  if (to === "absent") return false;
  if (isLinkMark(to))
    return (await disk.look(target))?.isSymlink === true && (await disk.readLink(target)) === to.link;
  // The staged file keeps its temporary name until the rewind has ended, except without hard links.
  return (await areSameFile(disk, temp, target)) || (isComplete && !(await disk.look(temp)));
}

/** Fails if the name was taken meanwhile. Links and devices cannot be hard-linked on every system. */
async function putBack(
  disk: CheckpointDisk,
  from: PathMark,
  { old, target }: { readonly old: string; readonly target: string },
): Promise<void> {
  const taken = new Error("another program made a file where one is to be put back");
  if (isLinkMark(from) || isOtherMark(from)) {
    if (await disk.look(target)) throw taken;
    return disk.rename(old, target);
  }
  try {
    await disk.link(old, target);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown)) || (await disk.look(target))) throw taken;
    return disk.rename(old, target);
  }
  await removeIfThere(disk, old);
}

/** Fails if the name was taken meanwhile, where a rename would replace the file. The staged name stays too. */
export async function takeNewName(
  disk: CheckpointDisk,
  to: PathMark,
  { temp, target }: { readonly temp: string; readonly target: string },
): Promise<void> {
  if (isLinkMark(to)) return disk.symlink(to.link, target); // The staged one is removed with the other leftovers.
  try {
    await disk.link(temp, target);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    return disk.rename(temp, target);
  }
}
