import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { isProtected } from "../internal.ts";
import { findSubmodules } from "./find-repository.ts";
import { SandboxError } from "./sandbox-plan.ts";

/** The protected paths of a command, until it has ended. */
export interface SharedPaths {
  /** Existing paths that are not links. */
  paths(): Promise<readonly string[]>;
  release(): void;
}

interface SharedList {
  readonly found: Promise<readonly string[]>;
  users: number;
}

/** By workspace, while commands run there. */
const lists = new Map<string, SharedList>();

/**
 * The protected paths of a workspace, shared by all concurrent commands: none of them can move what is a mount for all.
 * Otherwise a running command could replace a path by a link between the search and the mounts of the next command, which
 * would then see the link's target.
 */
export function shareProtected(workspace: string): SharedPaths {
  const list = lists.get(workspace) ?? { found: findProtected(workspace), users: 0 };
  list.users += 1;
  lists.set(workspace, list);
  return {
    paths: async () => (await list.found).filter(isNoLink),
    release: () => {
      list.users -= 1;
      if (list.users === 0) lists.delete(workspace);
    },
  };
}

/** Throws if the path cannot be examined: a command may have removed the permission. */
function isNoLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

/** How deep to search for protected names. Deeper ones are rare and cost time. */
const MAX_DEPTH = 3;
/** More would cost each command a second. */
const MAX_FOLDERS = 20_000;
/** Each is a mount, and so are the folders above it. bubblewrap accepts 9,000 arguments. */
const MAX_FOUND = 500;
const NO_PLACES = { places: [] };

/**
 * The existing protected files and folders in a workspace, down to the third folder. Skips links: their targets are either
 * outside or found themselves. Finds submodules at any depth. Throws if there are more than can be protected: otherwise a
 * command could create some until one that starts programs is left out.
 */
export async function findProtected(workspace: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level = [""];
  let folders = 0;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    folders += level.length;
    if (folders > MAX_FOLDERS) throw tooMany(workspace, `${MAX_FOLDERS} folders`);
    const entries = await Promise.all(level.map((folder) => entriesOf(workspace, folder)));
    level = [];
    for (const { path, name, isFolder, isLink } of entries.flat()) {
      // Only the part below the workspace counts: the workspace itself may be inside a folder with such a name.
      if (isProtected(`/${path}`, NO_PLACES)) {
        if (!isLink) found.push(path);
      } else if (isFolder && name !== "node_modules") level.push(path);
    }
  }
  const paths = new Set([...found.map((path) => join(workspace, path)), ...findSubmodules(workspace)]);
  if (paths.size > MAX_FOUND) throw tooMany(workspace, `${MAX_FOUND} protected paths, such as .env files`);
  return [...paths];
}

function tooMany(workspace: string, what: string): SandboxError {
  return new SandboxError(
    "unsafe",
    `${workspace} cannot be protected: it has more than ${what} down to the third folder; remove some, or use --sandbox off`,
  );
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

async function entriesOf(workspace: string, folder: string): Promise<readonly Entry[]> {
  try {
    const entries = await readdir(join(workspace, folder), { withFileTypes: true });
    return entries.map((entry) => ({
      path: folder === "" ? entry.name : `${folder}/${entry.name}`,
      name: entry.name,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }));
  } catch (cause) {
    if (folder !== "" && isHarmless(join(workspace, folder), cause)) return [];
    throw new SandboxError(
      "unsafe",
      `${join(workspace, folder)} cannot be protected: ${describeError(cause)}`,
      { cause },
    );
  }
}

/**
 * The folder was removed meanwhile, or belongs to another user. A command can make one of our folders unlistable, and the next
 * one could undo that and use the names in it.
 */
function isHarmless(folder: string, cause: unknown): boolean {
  const code = errorCode(cause);
  if (code === "ENOENT" || code === "ENOTDIR") return true;
  return code === "EACCES" && lstatSync(folder, { throwIfNoEntry: false })?.uid !== process.geteuid?.();
}
