import { existsSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** The allowed folders, or `any` for no confinement. */
export type Roots = readonly string[] | "any";

/** Whether a real path is one of the roots or below one. Compares path parts: `/project-evil` is not inside `/project`. */
export function isInside(path: string, roots: Roots): boolean {
  return roots === "any" || roots.some((root) => isBelow(path, root));
}

function isBelow(path: string, root: string): boolean {
  const fromRoot = relative(root, path);
  return fromRoot === "" || (fromRoot !== ".." && !fromRoot.startsWith(`..${sep}`) && !isAbsolute(fromRoot));
}

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
