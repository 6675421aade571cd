import type { Stats } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { errorCode } from "../../../core/index.ts";
import { type AnchoredDir, anchorDir } from "./anchored-dir.ts";
import type { Disk } from "./disk.ts";
import { refusal } from "./fs-error.ts";
import { assertRegular } from "./open-file.ts";

const MAX_LINKS = 40;

/** The place a write will go to. Whoever gets one closes its `dir`. */
export interface WriteTarget {
  readonly dir: AnchoredDir;
  readonly name: string;
  /** What stands there now: a regular file or nothing. */
  readonly existing?: Stats;
}

export interface TargetOptions {
  /** The path as the caller knows it. */
  readonly path: string;
  /** May refuse every folder on the way before it is looked into. */
  readonly judge: (dir: AnchoredDir) => Promise<void>;
}

/** Finds where writing to a path really goes, following links at its end as well as in its middle. */
export async function openTarget(
  disk: Disk,
  realPath: string,
  { path, judge }: TargetOptions,
): Promise<WriteTarget> {
  let here = realPath;
  for (let links = 0; links <= MAX_LINKS; links++) {
    if (here === dirname(here)) throw refusal("is_directory", path, "is a directory");
    const dir = await anchorDir(disk, dirname(here));
    try {
      await judge(dir);
      const found = await lookAt(disk, { dir, name: basename(here) }, path);
      if (typeof found !== "string") return found;
      here = resolve(dir.realPath, found);
    } catch (thrown) {
      await dir.close();
      throw thrown;
    }
    await dir.close();
  }
  throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
}

/** The target, or what the link says that stands in its place. */
async function lookAt(disk: Disk, target: WriteTarget, path: string): Promise<WriteTarget | string> {
  const at = target.dir.child(target.name);
  const stats = await lstatOrNothing(disk, at);
  if (!stats) return target;
  if (stats.isSymbolicLink()) return disk.readlink(at);
  assertRegular(stats, path);
  return { ...target, existing: stats };
}

/** What stands under a name itself, or nothing when it is free. */
export async function lstatOrNothing(disk: Disk, path: string): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
