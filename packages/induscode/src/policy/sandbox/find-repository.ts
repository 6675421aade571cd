import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { homeFolder } from "indusagi/config";
import { type Environment, isInside } from "indusagi/core";
import { type HiddenPlace, SandboxError } from "./sandbox-plan.ts";
import { MAX_TEXT_BYTES, smallText } from "./small-text.ts";

/** Lists the submodules of a repository. */
const SUBMODULES = ".gitmodules";

/**
 * Where git looks into the submodules of a workspace: the `.git` of each, or the whole folder if it was not cloned. `git status`
 * in the repository runs programs that a submodule's configuration names.
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

export interface FoundRepository {
  /** The top folder of its work tree. */
  readonly top: string;
  /** `info/exclude`: ignore patterns that are not committed. Undefined if there is no such file. */
  readonly excludeFile: string | undefined;
}

/** The repository of a workspace. */
export function findRepository(workspace: string): FoundRepository | undefined {
  const top = topOf(workspace);
  if (top === undefined) return undefined;
  const own = join(top, ".git");
  // In a linked work tree or submodule it is a file that names the folder.
  const folder = resolve(top, /^gitdir: (.+?)\s*$/.exec(smallText(own) ?? "")?.[1] ?? ".git");
  const common = resolve(folder, (smallText(join(folder, "commondir")) ?? "").trim());
  const path = join(common, "info", "exclude");
  return { top, excludeFile: isRealFile(path) ? path : undefined };
}

/**
 * The user's ignore patterns for all repositories. Does not read a repository's settings, which could name a file that the
 * command must not see.
 */
export function userPatterns(env: Environment, hidden: readonly HiddenPlace[]): string | undefined {
  const home = homeFolder({ env }) ?? "/";
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const named = [join(home, ".gitconfig"), join(config, "git", "config")]
    .map((path) => /^\s*excludesfile\s*=\s*"?(.+?)"?\s*$/im.exec(linkedText(path, []) ?? "")?.[1])
    .find((path) => path !== undefined);
  return linkedText(named?.replace(/^~(?=\/)/, home) ?? join(config, "git", "ignore"), hidden);
}

/** Follows links, which are common in home folders. */
function linkedText(path: string, hidden: readonly HiddenPlace[]): string | undefined {
  try {
    const real = realpathSync(path);
    const places = hidden.map((place) => place.path);
    return isInside(real, places) ? undefined : smallText(real);
  } catch {
    return undefined;
  }
}

/** The nearest folder with a repository. An empty `.git` is a name that we hold. */
function topOf(workspace: string): string | undefined {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const own = join(folder, ".git");
    const found = lstatSync(own, { throwIfNoEntry: false });
    // Looking below a file would be an error.
    if (found?.isFile()) return folder;
    if (found && lstatSync(join(own, "HEAD"), { throwIfNoEntry: false })) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Like git, follows no link. A list that is too large for us may still work for git, so that is an error. */
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

/** Git ignores submodules behind a link. */
function isRealFolder(path: string): boolean {
  try {
    return realpathSync(path) === path && lstatSync(path).isDirectory();
  } catch {
    return false;
  }
}
