import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import { isProtected, PROTECTED_IN_PROJECTS } from "../policy/internal.ts";
import { findSubmodules, SUBMODULES } from "./find-submodules.ts";
import { SandboxError } from "./sandbox-error.ts";

/** Folders below the workspace in which protected names are looked for. Deeper ones are rare and cost time. */
const MAX_DEPTH = 3;
const MAX_FOLDERS = 2_000;
const MAX_FOUND = 500;
const NO_PLACES = { places: [] };
const FIRST: ReadonlySet<string> = new Set([...PROTECTED_IN_PROJECTS, SUBMODULES]);

/**
 * The protected files and folders that exist in a workspace, down to the third folder. Links are left out: what they lead
 * to is either outside, or found itself. Submodules are found in every depth. The names from which programs are started
 * come first and are never left out, whatever else a command puts into the folder.
 */
export async function findProtected(workspace: string): Promise<readonly string[]> {
  const found: string[] = [];
  let level = [""];
  let folders = 0;
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const some = level.slice(0, MAX_FOLDERS - folders);
    folders += some.length;
    const entries = await Promise.all(some.map((folder) => entriesOf(workspace, folder)));
    level = [];
    for (const { path, isFolder, isLink } of entries.flat()) {
      // Only the part below the workspace counts: a workspace may itself be inside a folder with such a name.
      if (isProtected(`/${path}`, NO_PLACES)) {
        if (!isLink) found.push(path);
      } else if (isFolder && !path.endsWith("node_modules")) level.push(path);
    }
  }
  const isFirst = (path: string): boolean => FIRST.has(path);
  const others = found.filter((path) => !isFirst(path)).slice(0, MAX_FOUND);
  const paths = [...found.filter(isFirst), ...others].map((path) => join(workspace, path));
  return [...new Set([...paths, ...findSubmodules(workspace)])];
}

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly isLink: boolean;
}

async function entriesOf(workspace: string, folder: string): Promise<readonly Entry[]> {
  try {
    const entries = await readdir(join(workspace, folder), { withFileTypes: true });
    return entries.map((entry) => ({
      path: folder === "" ? entry.name : `${folder}/${entry.name}`,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }));
  } catch (cause) {
    // A command can take away the right to list the folder, and still use the names in it.
    if (folder === "")
      throw new SandboxError("unsafe", `${workspace} cannot be protected: ${describeError(cause)}`, {
        cause,
      });
    return []; // It was removed meanwhile, or we may not read it.
  }
}
