/** A regular file in short: enough to compare it. */
export interface FileMark {
  /** SHA-256 of the bytes, as hex. */
  readonly hash: string;
  readonly size: number;
  /** Permission bits, if the file system has them. */
  readonly mode?: number;
  /** The ids of its user and group, where they are known. They do not count when marks are compared. */
  readonly owner?: readonly [uid: number, gid: number];
}

/** A symbolic link. */
export interface LinkMark {
  /** Its target, as written. */
  readonly link: string;
}

export interface FolderMark {
  /** Its permission bits. They count only when the folder is made again. */
  readonly folder: number;
}

/** Something at a path that a rewind can make. */
export type EntryMark = FileMark | LinkMark | FolderMark;

/** A pipe, a socket or a device. A rewind can take it away, but not make it. */
export interface OtherMark {
  readonly other: true;
}

/**
 * There is something, or was, that a rewind leaves alone. `unknown`: it could not be kept. `ignored`: git ignores it.
 * `repository`: it belongs to a repository itself.
 */
export type UntouchedMark = "unknown" | "ignored" | "repository";

/** The state of a path. */
export type PathMark = EntryMark | OtherMark | "absent" | UntouchedMark;

export const isFile = (mark: PathMark): mark is FileMark => typeof mark === "object" && "hash" in mark;
export const isLink = (mark: PathMark): mark is LinkMark => typeof mark === "object" && "link" in mark;
export const isFolder = (mark: PathMark): mark is FolderMark => typeof mark === "object" && "folder" in mark;

export const isOther = (mark: PathMark): mark is OtherMark => typeof mark === "object" && "other" in mark;

export const isUntouched = (mark: PathMark): mark is UntouchedMark =>
  typeof mark === "string" && mark !== "absent";

export function isSameMark(a: PathMark, b: PathMark): boolean {
  if (isFile(a) && isFile(b)) return a.hash === b.hash && a.size === b.size && isSameMode(a.mode, b.mode);
  if (isLink(a) && isLink(b)) return a.link === b.link;
  if ((isFolder(a) && isFolder(b)) || (isOther(a) && isOther(b))) return true;
  return a === "absent" && b === "absent";
}

/** A file without permission bits has the same mode as every other. */
function isSameMode(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
