import { basename, dirname, join, resolve } from "node:path";
import { errorCode } from "../../core/index.ts";
import type { Disk } from "./disk.ts";

const MAX_LINKS = 40;

/** Where a path leads with all links followed, though its last parts, or a link's target, may not exist. */
export async function realPathOf(disk: Disk, path: string, links: number = MAX_LINKS): Promise<string> {
  try {
    return await disk.realpath(path);
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT" || path === dirname(path)) throw thrown;
  }
  const parent = await realPathOf(disk, dirname(path), links);
  const here = join(parent, basename(path));
  const target = await danglingTarget(disk, here);
  if (target === undefined) return here;
  if (links === 0) throw Object.assign(new Error("too many symbolic links"), { code: "ELOOP" });
  return realPathOf(disk, resolve(parent, target), links - 1);
}

async function danglingTarget(disk: Disk, path: string): Promise<string | undefined> {
  try {
    return await disk.readlink(path);
  } catch {
    return undefined; // Not a link, or not there at all: the path itself is the answer.
  }
}
