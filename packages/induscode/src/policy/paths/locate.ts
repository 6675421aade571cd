import { join, resolve } from "node:path";
import { type FollowedPath, followLinks, realPath } from "./real-path.ts";

/** One path of a call: absolute as written, and with its links followed. */
export interface LocatedPath extends FollowedPath {
  readonly written: string;
}

/** The folders that paths in a call are relative to. */
export interface PathBase {
  readonly cwd: string;
  readonly realCwd: string;
  /** For `~`. Absent if there is none. */
  readonly home?: string | undefined;
}

/** The same base in another folder. */
export function baseAt(folder: string, base: PathBase): PathBase {
  return folder === base.cwd ? base : { ...base, cwd: folder, realCwd: realPath(folder) };
}

/** A path as a native tool understands it. A tool may also try a path without a leading `@`, so that counts too. */
export function locateToolPath(path: string, base: PathBase): LocatedPath[] {
  const spellings = path.startsWith("@") ? [path, path.slice(1)] : [path];
  return spellings.map((spelling) => {
    const written = resolve(base.cwd, withoutTilde(spelling, base));
    return { written, real: realPath(written) };
  });
}

/** A path as a program understands it: `..` after a link is the parent of its target. */
export function locateWord(word: string, base: PathBase): LocatedPath {
  const path = withoutTilde(word, base);
  const written = resolve(base.cwd, path);
  // Not `join`, which would resolve `..` without following links.
  return { written, ...followLinks(written === path || path.startsWith("/") ? path : `${base.cwd}/${path}`) };
}

function withoutTilde(path: string, { home }: PathBase): string {
  const isHome = home !== undefined && path.startsWith("~") && /^~(?:$|[\\/])/.test(path);
  return isHome ? join(home, path.slice(1)) : path;
}
