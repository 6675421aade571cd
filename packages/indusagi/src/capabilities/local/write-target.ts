import type { Stats } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { errorCode } from "../../core/index.ts";
import { FsError } from "../contract/index.ts";
import { type AnchoredDir, anchorDir } from "./anchored-dir.ts";
import type { Disk } from "./disk.ts";

const MAX_LINKS = 40;

/** The place a write will go to. Whoever gets one closes its `dir`. */
export interface WriteTarget {
  readonly dir: AnchoredDir;
  readonly name: string;
  /** What stands there now: a regular file or nothing. */
  readonly existing?: Stats;
}

/**
 * Finds where writing to a path really goes, following links at its end as well as in its middle, and lets `judge`
 * refuse every folder on the way before it is looked into.
 */
export async function openTarget(
  disk: Disk,
  path: string,
  judge: (dir: AnchoredDir) => Promise<void>,
): Promise<WriteTarget> {
  let here = path;
  for (let links = 0; links <= MAX_LINKS; links++) {
    const dir = await anchorDir(disk, dirname(here));
    const name = basename(here);
    try {
      await judge(dir);
      const stats = await lstatOrNothing(disk, dir.child(name));
      if (!stats) return { dir, name };
      if (stats.isFile()) return { dir, name, existing: stats };
      if (!stats.isSymbolicLink()) throw notWritable(stats, path);
      here = resolve(dir.realPath, await disk.readlink(dir.child(name)));
    } catch (thrown) {
      await dir.close();
      throw thrown;
    }
    await dir.close();
  }
  throw new FsError("invalid_path", path, `too many symbolic links: ${path}`);
}

async function lstatOrNothing(disk: Disk, path: string): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function notWritable(stats: Stats, path: string): FsError {
  if (stats.isDirectory()) return new FsError("is_directory", path, `is a directory: ${path}`);
  return new FsError("not_a_file", path, `not a regular file: ${path}`);
}
