/** A regular file in short: enough to compare it. */
export interface FileMark {
  /** SHA-256 of the bytes, as hex. */
  readonly hash: string;
  readonly size: number;
  /** Permission bits, if the file system has them. */
  readonly mode?: number;
}

/** The state of a path. `unknown`: there is a file, but it could not be read. */
export type PathMark = FileMark | "absent" | "unknown";

export function isSameMark(a: PathMark, b: PathMark): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b && a !== "unknown";
  return a.hash === b.hash && a.size === b.size && isSameMode(a.mode, b.mode);
}

/** A file without permission bits has the same mode as every other. */
function isSameMode(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
