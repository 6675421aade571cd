import type * as NodeFs from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";
import { errorCode } from "indusagi/core";

const fs = (): typeof NodeFs => process.getBuiltinModule("node:fs");
const MAX_LINKS = 40;

/**
 * An absolute path with its symbolic links followed. Parts that do not exist stay as written, behind the real path of the
 * folder that exists; a link to something that does not exist is followed too. Never throws. It is synchronous because a
 * gate has a few microseconds for a call.
 */
export function realPath(absolute: string): string {
  try {
    // Errors are slow: ask first whether the path exists.
    if (fs().lstatSync(absolute, { throwIfNoEntry: false })) return fs().realpathSync.native(absolute);
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute));
  } catch {
    return walk(absolute);
  }
}

/** Whether there is a symbolic link at this path. */
export function isLink(path: string): boolean {
  try {
    return fs().lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false; // A name that is too long, or a folder that may not be entered.
  }
}

/** Whether a real path leads to nothing that can be seen. */
export function isMissing(path: string): boolean {
  try {
    return fs().lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** For a link to something that does not exist, and for folders that may not be entered. */
function walk(path: string): string {
  let real = parse(path).root;
  let links = 0;
  const parts = partsOf(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const here = join(real, part); // Also right for `..`: `real` has no links.
    const found = part === ".." ? undefined : lookAt(here);
    if (found === undefined) real = here;
    else if (found === "missing" || ++links > MAX_LINKS) return join(here, ...parts);
    else {
      real = parse(found.target).root || real;
      parts.unshift(...partsOf(found.target));
    }
  }
  return real;
}

function lookAt(path: string): { readonly target: string } | "missing" | undefined {
  try {
    return fs().lstatSync(path).isSymbolicLink() ? { target: fs().readlinkSync(path) } : undefined;
  } catch (thrown) {
    return errorCode(thrown) === "ENOTDIR" ? undefined : "missing";
  }
}

function partsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== "" && part !== ".");
}
