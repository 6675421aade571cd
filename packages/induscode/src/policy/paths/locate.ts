import { join, resolve } from "node:path";
import { realPath } from "./real-path.ts";

/** One path of a call: absolute as written, and with its links followed. */
export interface LocatedPath {
  readonly written: string;
  readonly real: string;
  /** Nothing is there. Known only for words of a command. */
  readonly isMissing?: true;
}

/** The folders that paths in a call are relative to. */
export interface PathBase {
  readonly cwd: string;
  /** For `~`. Absent if there is none. */
  readonly home?: string;
}

/** A path as a native tool understands it. A tool may also try a path without a leading `@`, so that one counts too. */
export function locateToolPath(path: string, base: PathBase): LocatedPath[] {
  const spellings = path.startsWith("@") ? [path, path.slice(1)] : [path];
  return spellings.map((spelling) => {
    const written = resolve(base.cwd, withoutTilde(spelling, base));
    return { written, real: realPath(written) };
  });
}

/** A path as a program understands it: `..` behind a link leaves the folder that the link leads to. */
export function locateWord(word: string, base: PathBase): LocatedPath {
  const path = withoutTilde(word, base);
  const written = resolve(base.cwd, path);
  // Not `join`, which would remove `..` and what stands before it.
  return { written, real: realPath(written === path || path.startsWith("/") ? path : `${base.cwd}/${path}`) };
}

function withoutTilde(path: string, { home }: PathBase): string {
  const isHome = home !== undefined && /^~(?:$|[\\/])/.test(path);
  return isHome ? join(home, path.slice(1)) : path;
}
