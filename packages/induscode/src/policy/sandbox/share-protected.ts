import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { isProtected } from "../internal.ts";
import { findSubmodules } from "./find-repository.ts";
import { SandboxError } from "./sandbox-error.ts";

/** The protected paths of a command, until it has ended. */
export interface SharedPaths {
  /** Those that exist and are no links. */
  paths(): Promise<readonly string[]>;
  release(): void;
}

interface SharedList {
  readonly found: Promise<readonly string[]>;
  users: number;
}

/** By workspace, as long as commands run there. */
const lists = new Map<string, SharedList>();

/**
 * The protected paths of a workspace, the same ones for all commands that run at the same time: none of them can move what is
 * a mount for all. Otherwise a running command could put a link in the place of a path between the search and the mounts of
 * the next command, which would then see what the link leads to.
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

/** Folders below the workspace in which protected names are looked for. Deeper ones are rare and cost time. */
const MAX_DEPTH = 3;
/** More would cost each command a second. */
const MAX_FOLDERS = 20_000;
/** Each is a mount, and so are the folders above it. bubblewrap takes 9,000 arguments. */
const MAX_FOUND = 500;
const NO_PLACES = { places: [] };

/**
 * The protected files and folders that exist in a workspace, down to the third folder. Links are left out: what they lead
 * to is either outside, or found itself. Submodules are found in every depth. Throws if there are more than can be
 * protected: a command could otherwise make some until one that starts programs is left out.
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
      // Only the part below the workspace counts: a workspace may itself be inside a folder with such a name.
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
 * The folder was removed meanwhile, or belongs to someone else. A command can make a folder of ours unlistable, and
 * the next one could undo that and use the names in it.
 */
function isHarmless(folder: string, cause: unknown): boolean {
  const code = errorCode(cause);
  if (code === "ENOENT" || code === "ENOTDIR") return true;
  return code === "EACCES" && lstatSync(folder, { throwIfNoEntry: false })?.uid !== process.geteuid?.();
}
