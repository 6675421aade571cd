import { resolve } from "node:path";
import { escapeForDisplay } from "indusagi/core";

/** The paths in a folder that begin so, folders with a slash at their end. Hidden ones only if a dot was typed. */
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
    // There is no such folder, or it cannot be read.
    return [];
  }
}
