import type * as NodeFs from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";
import { errorCode } from "indusagi/core";

let loaded: typeof NodeFs | undefined;

/** Cached: `getBuiltinModule` takes as long as some file system calls. */
function fs(): typeof NodeFs {
  loaded ??= process.getBuiltinModule("node:fs");
  return loaded;
}

const MAX_LINKS = 40;

/** A path with its links followed. */
export interface FollowedPath {
  readonly real: string;
  /** Nothing visible is there. */
  readonly isMissing?: true;
}

/** The real path of an absolute path; see `followLinks`. */
export function realPath(absolute: string): string {
  return followLinks(absolute).real;
}

/**
 * Follows the symbolic links of an absolute path. Missing parts stay as written, after the real path of the existing folder;
 * dangling links are followed too. Never throws. Synchronous, because a gate has only a few microseconds per call.
 */
export function followLinks(absolute: string): FollowedPath {
  // Only looking at a network path would send the user's login to its server.
  if (process.platform === "win32" && /^[\\/]{2}/.test(absolute)) return { real: absolute };
  try {
    // Exceptions are slow, so check first whether the path exists.
    if (fs().lstatSync(absolute, { throwIfNoEntry: false })) {
      const real = fs().realpathSync.native(absolute);
      // Links below /proc resolve differently in the process that follows them later.
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
    return false; // The name is too long, or a folder is inaccessible.
  }
}

/** For dangling links and inaccessible folders. */
function walk(path: string): string {
  let real = parse(path).root;
  let links = 0;
  const parts = partsOf(path);
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const here = join(real, part); // Correct for `..` too: `real` has no links.
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
