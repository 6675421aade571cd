import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "indusagi/core";

/** Lists the submodules of a repository. Protected like `.git`. */
export const SUBMODULES = ".gitmodules";

/**
 * Where git looks into the submodules inside a workspace: the `.git` of each, or the whole folder if it was not cloned.
 * `git status` in the repository runs programs that the configuration of a submodule names.
 */
export function findSubmodules(workspace: string): readonly string[] {
  const top = topOf(workspace);
  const text = top === undefined ? "" : textOf(join(top, SUBMODULES));
  return [...text.matchAll(/^\s*path\s*=\s*"?(.+?)"?\s*$/gm)].flatMap(([, path = ""]) => {
    const folder = resolve(top ?? "", path);
    if (folder === workspace || !isInside(folder, [workspace]) || !isRealFolder(folder)) return [];
    const own = join(folder, ".git");
    return [lstatSync(own, { throwIfNoEntry: false }) ? own : folder];
  });
}

/** The nearest folder with a repository. An empty `.git` is one that we hold. */
function topOf(workspace: string): string | undefined {
  const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  for (let folder = workspace; ; folder = dirname(folder)) {
    const own = join(folder, ".git");
    if (isThere(join(own, "HEAD")) || lstatSync(own, { throwIfNoEntry: false })?.isFile()) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // There are none.
  }
}

/** Git looks into no submodule behind a link. */
function isRealFolder(path: string): boolean {
  try {
    return realpathSync(path) === path && lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
