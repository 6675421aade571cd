import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isInside } from "indusagi/core";
import { SandboxError } from "./sandbox-error.ts";
import { MAX_TEXT_BYTES, smallText } from "./small-text.ts";

/** Lists the submodules of a repository. */
const SUBMODULES = ".gitmodules";

/**
 * Where git looks into the submodules inside a workspace: the `.git` of each, or the whole folder if it was not cloned.
 * `git status` in the repository runs programs that the configuration of a submodule names.
 */
export function findSubmodules(workspace: string): readonly string[] {
  const top = topOf(workspace);
  const text = top === undefined ? "" : listOf(join(top, SUBMODULES));
  return [...text.matchAll(/^\s*path\s*=\s*"?(.+?)"?\s*$/gm)].flatMap(([, path = ""]) => {
    const folder = resolve(top ?? "", path);
    if (folder === workspace || !isInside(folder, [workspace]) || !isRealFolder(folder)) return [];
    const own = join(folder, ".git");
    return [lstatSync(own, { throwIfNoEntry: false }) ? own : folder];
  });
}

/**
 * The file with patterns that git ignores in the repository of a workspace, and that is not part of its commits. Undefined
 * if it does not exist.
 */
export function excludeFile(workspace: string): string | undefined {
  const top = topOf(workspace);
  if (top === undefined) return undefined;
  const own = join(top, ".git");
  // Of a work tree or a submodule it is a file that names the folder.
  const folder = resolve(top, /^gitdir: (.+?)\s*$/.exec(smallText(own) ?? "")?.[1] ?? ".git");
  const common = (smallText(join(folder, "commondir")) ?? "").trim();
  const path = join(resolve(folder, common), "info", "exclude");
  return isRealFile(path) ? path : undefined;
}

/** The nearest folder with a repository. An empty `.git` is one that we hold. */
function topOf(workspace: string): string | undefined {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const own = join(folder, ".git");
    const found = lstatSync(own, { throwIfNoEntry: false });
    // Below a file there is nothing to look at: that is an error.
    if (found?.isFile()) return folder;
    if (found && lstatSync(join(own, "HEAD"), { throwIfNoEntry: false })) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Git follows no link here either. What is too large to be read may still be a list for git. */
function listOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size > MAX_TEXT_BYTES)
    throw new SandboxError(
      "unsafe",
      `${path} is larger than 1 MiB, so the submodules cannot be protected; shorten it, or use --sandbox off`,
    );
  return smallText(path) ?? "";
}

function isRealFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true && realpathSync(path) === path;
}

/** Git looks into no submodule behind a link. */
function isRealFolder(path: string): boolean {
  try {
    return realpathSync(path) === path && lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
