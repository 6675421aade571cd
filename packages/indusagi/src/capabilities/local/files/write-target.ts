import type { Stats } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Disk } from "../../../core/files/index.ts";
import { errorCode } from "../../../core/index.ts";
import { MAX_LINKS, tooManyLinks } from "./follow-path.ts";
import { refusal } from "./fs-error.ts";
import { type AnchoredDir, anchorDir } from "./held-path.ts";
import { assertRegular } from "./open-file.ts";

/** The file that a write replaces or creates. The caller must close `dir`. */
export interface WriteTarget {
  readonly dir: AnchoredDir;
  readonly name: string;
  /** The existing regular file, if there is one. */
  readonly existing?: Stats;
}

export interface TargetOptions {
  /** The path as the caller knows it. */
  readonly path: string;
  /** Called for each folder before it is read; throws to refuse it. */
  readonly checkFolder: (dir: AnchoredDir) => Promise<void>;
}

/** Finds the file that a path refers to, following links in the middle and at the end. */
export async function openTarget(
  disk: Disk,
  realPath: string,
  { path, checkFolder }: TargetOptions,
): Promise<WriteTarget> {
  let here = realPath;
  for (let links = 0; links <= MAX_LINKS; links++) {
    if (here === dirname(here)) throw refusal("is_directory", path, "is a directory");
    const dir = await anchorDir(disk, dirname(here));
    try {
      await checkFolder(dir);
      const found = await lookAt(disk, { dir, name: basename(here) }, path);
      if (typeof found !== "string") return found;
      here = resolve(dir.realPath, found);
    } catch (thrown) {
      await dir.close();
      throw thrown;
    }
    await dir.close();
  }
  throw tooManyLinks();
}

/** The target, or the text of the link that is there. */
async function lookAt(disk: Disk, target: WriteTarget, path: string): Promise<WriteTarget | string> {
  const at = target.dir.child(target.name);
  const stats = await lstatOrNothing(disk, at);
  if (!stats) return target;
  if (stats.isSymbolicLink()) return disk.readlink(at);
  assertRegular(stats, path);
  return { ...target, existing: stats };
}

/** The stats of a path itself, or nothing if it does not exist. */
export async function lstatOrNothing(disk: Disk, path: string): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
