/** Enough about a regular file to compare it. */
export interface FileMark {
  /** SHA-256 of the bytes, as hex. */
  readonly hash: string;
  readonly size: number;
  /** Permission bits, if the file system has them. */
  readonly mode?: number;
  /** The ids of its user and group, if known. Ignored when marks are compared. */
  readonly owner?: readonly [uid: number, gid: number];
}

/** A symbolic link. */
export interface LinkMark {
  /** Its target, as written. */
  readonly link: string;
}

export interface FolderMark {
  /** Its permission bits. Used only to recreate the folder. */
  readonly folder: number;
}

/** An entry that a rewind can create. */
export type EntryMark = FileMark | LinkMark | FolderMark;

/** A pipe, socket or device. A rewind can remove it but not create it. */
export interface OtherMark {
  readonly other: true;
}

/**
 * An entry that a rewind leaves alone. `unknown`: it could not be kept. `ignored`: git ignores it. `repository`: it is part of
 * a repository itself.
 */
export type UntouchedMark = "unknown" | "ignored" | "repository";

/** The state of a path. */
export type PathMark = EntryMark | OtherMark | "absent" | UntouchedMark;

export const isFileMark = (mark: PathMark): mark is FileMark => typeof mark === "object" && "hash" in mark;
export const isLinkMark = (mark: PathMark): mark is LinkMark => typeof mark === "object" && "link" in mark;
export const isFolderMark = (mark: PathMark): mark is FolderMark =>
  typeof mark === "object" && "folder" in mark;

export const isOtherMark = (mark: PathMark): mark is OtherMark => typeof mark === "object" && "other" in mark;

export const isUntouchedMark = (mark: PathMark): mark is UntouchedMark =>
  typeof mark === "string" && mark !== "absent";

export function isSameMark(a: PathMark, b: PathMark): boolean {
  if (isFileMark(a) && isFileMark(b))
    return a.hash === b.hash && a.size === b.size && isSameMode(a.mode, b.mode);
  if (isLinkMark(a) && isLinkMark(b)) return a.link === b.link;
  if ((isFolderMark(a) && isFolderMark(b)) || (isOtherMark(a) && isOtherMark(b))) return true;
  return a === "absent" && b === "absent";
}

/** Unknown permission bits match any. */
function isSameMode(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || b === undefined || a === b;
}
