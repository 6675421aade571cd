import type * as NodeFs from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";
import { errorCode } from "indusagi/core";

let loaded: typeof NodeFs | undefined;

/** Loaded by the first call, and kept: asking for it takes as long as some of its functions. */
function fs(): typeof NodeFs {
  loaded ??= process.getBuiltinModule("node:fs");
  return loaded;
}

const MAX_LINKS = 40;

/** A path with its links followed. */
export interface FollowedPath {
  readonly real: string;
  /** Nothing is there that can be seen. */
  readonly isMissing?: true;
}

/** The real path of an absolute path; see `followPath`. */
export function realPath(absolute: string): string {
  return followPath(absolute).real;
}

/**
 * Follows the symbolic links of an absolute path. Parts that do not exist stay as written, behind the real path of the
 * folder that exists; a link to something that does not exist is followed too. Never throws. It is synchronous because a
 * gate has a few microseconds for a call.
 */
export function followPath(absolute: string): FollowedPath {
  try {
    // Errors are slow: ask first whether the path exists.
    if (fs().lstatSync(absolute, { throwIfNoEntry: false })) {
      const real = fs().realpathSync.native(absolute);
      // Below /proc, links mean something else to the process that follows them later.
      return { real: real === absolute ? real : throughProc(absolute, real) };
    }
    const parent = dirname(absolute);
    const real = parent === absolute ? absolute : join(realPath(parent), basename(absolute));
    return { real, isMissing: true };
  } catch {
    const real = walk(absolute);
    return isLink(absolute) ? { real } : { real, isMissing: true };
  }
}

function throughProc(absolute: string, real: string): string {
  const walked = walk(absolute);
  return isOfProcess(walked) ? walked : real;
}

function isOfProcess(path: string): boolean {
  return path.startsWith("/proc/") || path.startsWith("/dev/fd/");
}

/** Whether there is a symbolic link at this path. */
export function isLink(path: string): boolean {
  try {
    return fs().lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false; // A name that is too long, or a folder that may not be entered.
  }
}

/** For a link to something that does not exist, and for folders that may not be entered. */
function walk(path: string): string {
  let real = parse(path).root;
  let links = 0;
  const parts = partsOf(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const here = join(real, part); // Also right for `..`: `real` has no links.
    if (isOfProcess(here)) return join(here, ...parts);
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
