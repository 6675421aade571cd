import { resolve } from "node:path";
import { escapeForDisplay } from "indusagi/core";

/** The paths that begin with `typed`, folders with a trailing slash. Hidden ones only after a typed dot. */
export function completePath(typed: string, cwd: string): readonly string[] {
  const { readdirSync, statSync } = process.getBuiltinModule("node:fs");
  const at = typed.lastIndexOf("/") + 1;
  const [folder, start] = [typed.slice(0, at), typed.slice(at)];
  const isFolder = (name: string): boolean =>
    statSync(resolve(cwd, folder, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  try {
    return readdirSync(resolve(cwd, folder))
      .filter((name) => name.startsWith(start) && (start !== "" || !name.startsWith(".")))
      .filter((name) => !/\s/.test(name) && escapeForDisplay(name) === name)
      .toSorted()
      .map((name) => `${folder}${name}${isFolder(name) ? "/" : ""}`);
  } catch {
    // The folder does not exist or cannot be read.
    return [];
  }
}
