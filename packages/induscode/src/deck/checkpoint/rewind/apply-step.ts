import { basename, dirname } from "node:path";
import type { FsEntryInfo, HeldFolder } from "indusagi/capabilities";
import { errorCode } from "indusagi/core";
import { type CheckpointDisk, removeIfThere } from "../store/checkpoint-disk.ts";
import type { RewindStep } from "./rewind-step.ts";
import { enterFolder, type Workspace } from "./workspace.ts";

/** The paths of a step, through a held folder. */
interface StepPaths {
  readonly folder: HeldFolder;
  readonly target: string;
  readonly temp: string;
  readonly old: string;
}

/** Runs `use` with the folder of a step held. */
export async function inStepFolder<Value>(
  workspace: Workspace,
  { path, temp = "", old = "" }: RewindStep,
  use: (paths: StepPaths) => Promise<Value>,
): Promise<Value> {
  const folder = await enterFolder(workspace, dirname(path));
  try {
    const child = (name: string): string => (name === "" ? "" : folder.child(name));
    return await use({ folder, target: child(basename(path)), temp: child(temp), old: child(old) });
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
): Promise<void> {
  const { disk } = workspace;
  return inStepFolder(workspace, step, async ({ folder, target, temp, old }) => {
    if (!isSameFile(await folder.look(basename(step.path)), info))
      throw new Error(`${step.path} was changed by another program meanwhile`);
    if (step.to === "absent") await disk.rename(target, old);
    else if (step.from === "absent") await takeNewName(disk, temp, target);
    else {
      await keepOldName(disk, target, old);
      await disk.rename(temp, target);
    }
  });
}

/** Makes the names of a step safe from a power cut. */
export function flushStep(workspace: Workspace, step: RewindStep): Promise<void> {
  return inStepFolder(workspace, step, ({ folder }) => workspace.disk.syncFolder(folder.realPath));
}

/** Puts back what a step took away, also if the step stopped in the middle. */
export function revertStep(workspace: Workspace, step: RewindStep, isComplete: boolean): Promise<void> {
  const { disk } = workspace;
  return inStepFolder(workspace, step, async ({ folder, target, temp, old }) => {
    if (step.from !== "absent") {
      if (!(await disk.look(old))) return;
      await disk.rename(old, target);
      await removeIfThere(disk, old); // A rename between two names of one file leaves both.
    } else if (isComplete || (await areSameFile(disk, temp, target))) await removeIfThere(disk, target);
    await disk.syncFolder(folder.realPath);
  });
}

/** Removes the temporary names of a step. */
export function tidyStep(workspace: Workspace, step: RewindStep): Promise<void> {
  return inStepFolder(workspace, step, async ({ temp, old }) => {
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

/** A link first, so that there is a file at every moment. Without links there is none for a moment. */
async function keepOldName(disk: CheckpointDisk, target: string, old: string): Promise<void> {
  try {
    await disk.link(target, old);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    await disk.rename(target, old);
  }
}

/** A link fails if the name was taken meanwhile; a rename would replace the file that took it. */
export async function takeNewName(disk: CheckpointDisk, temp: string, target: string): Promise<void> {
  try {
    await disk.link(temp, target);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    return disk.rename(temp, target);
  }
  await disk.remove(temp);
}
