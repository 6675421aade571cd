import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The git work tree that a folder is in: the nearest folder upwards with a repository. */
export function workTreeOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (isRepository(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Whether a `.git` is a repository. An empty folder is none: a killed session may have left it. In a linked work tree it is a file. */
export function isRepository(git: string): boolean {
  return existsSync(join(git, "HEAD")) || statSync(git, { throwIfNoEntry: false })?.isFile() === true;
}
