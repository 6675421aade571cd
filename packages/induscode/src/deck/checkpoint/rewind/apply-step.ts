import { basename, dirname } from "node:path";
import type { FsEntryInfo, HeldFolder } from "indusagi/capabilities";
import { errorCode } from "indusagi/core";
import { isFolder, isLink, isOther, type PathMark } from "../file-mark.ts";
import { type CheckpointDisk, removeIfThere } from "../store/checkpoint-disk.ts";
import { type RewindStep, roomOf } from "./rewind-step.ts";
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

/** Only the folder of the temporary names: that of the path may be gone. */
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
 * Puts the staged file in its place, or takes the file away, if it is still the one that was looked at. The file that was
 * there keeps its second name until the rewind has ended.
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
    if (isFolder(from)) return removeFolder(disk, target, isNeeded);
    if (!isSameFile(await disk.look(target), info))
      throw new Error(`${path} was changed by another program meanwhile`);
    if (to === "absent") await disk.rename(target, old);
    else if (isFolder(to)) await disk.mkdir(target, to.folder);
    else if (from === "absent") await takeNewName(disk, to, { temp, target });
    else {
      await keepOldName(disk, from, { target, old });
      await disk.rename(temp, target);
    }
  });
}

const NOT_EMPTY: ReadonlySet<string | undefined> = new Set(["ENOTEMPTY", "EEXIST"]);

/** What commands left in a folder may be more than we know: ignored files. Then the folder stays, unless its place is needed. */
export async function removeFolder(disk: CheckpointDisk, path: string, isNeeded: boolean): Promise<void> {
  try {
    await disk.removeFolder(path);
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code !== "ENOENT" && (isNeeded || !NOT_EMPTY.has(code))) throw thrown;
  }
}

/** Makes the names in the folders of these steps safe from a power cut. Folders that are gone need none. */
export async function flushSteps(workspace: Workspace, steps: readonly RewindStep[]): Promise<void> {
  const folders = new Set(steps.flatMap((step) => [dirname(step.path), roomOf(step)]));
  const removed = new Set(steps.flatMap(({ path, from }) => (isFolder(from) ? [path] : [])));
  for (const path of folders)
    await inFolder(workspace, path, (folder) => workspace.disk.syncFolder(folder.realPath)).catch(
      (thrown: unknown) => {
        if (!removed.has(path)) throw thrown;
      },
    );
}

/** Puts back what a step took away, also if the step stopped in the middle. */
export function revertStep(workspace: Workspace, step: RewindStep, isComplete: boolean): Promise<void> {
  const { disk } = workspace;
  const { from, to } = step;
  return inStepFolder(workspace, step, async ({ folder, target, temp, old }) => {
    if (isFolder(from)) {
      if (!(await disk.look(target))) await disk.mkdir(target, from.folder);
    } else if (from !== "absent") {
      if (!(await disk.look(old))) return;
      await disk.rename(old, target);
      await removeIfThere(disk, old); // A rename between two names of one file leaves both.
    } else if (to !== "absent" && isFolder(to)) {
      if (isComplete) await removeFolder(disk, target, false);
    } else if (isComplete || (temp !== "" && (await areSameFile(disk, temp, target))))
      await removeIfThere(disk, target);
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

/** Codes of file systems that have no hard links. */
const CANNOT_LINK: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/**
 * A hard link first, so that there is a file at every moment. Without it there is none for a moment: a symbolic link has
 * no second name on every system.
 */
async function keepOldName(
  disk: CheckpointDisk,
  from: PathMark,
  { target, old }: { readonly target: string; readonly old: string },
): Promise<void> {
  if (isLink(from) || isOther(from)) return disk.rename(target, old);
  try {
    await disk.link(target, old);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    await disk.rename(target, old);
  }
}

/** Fails if the name was taken meanwhile; a rename would replace the file that took it. */
export async function takeNewName(
  disk: CheckpointDisk,
  to: PathMark,
  { temp, target }: { readonly temp: string; readonly target: string },
): Promise<void> {
  if (isLink(to)) return disk.symlink(to.link, target); // The staged one is removed with the other leftovers.
  try {
    await disk.link(temp, target);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    return disk.rename(temp, target);
  }
  await disk.remove(temp);
}
