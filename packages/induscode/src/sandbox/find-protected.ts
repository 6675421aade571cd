import { lstatSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errorCode } from "indusagi/core";
import { isProtected } from "../policy/internal.ts";
import { findSubmodules } from "./find-repository.ts";
import { SandboxError } from "./sandbox-error.ts";

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
 * It was removed meanwhile, or belongs to somebody else. From an own folder a command can take away the right to list it, and
 * the next one could give it back and use the names in it.
 */
function isHarmless(folder: string, cause: unknown): boolean {
  const code = errorCode(cause);
  if (code === "ENOENT" || code === "ENOTDIR") return true;
  return code === "EACCES" && lstatSync(folder, { throwIfNoEntry: false })?.uid !== process.geteuid?.();
}
