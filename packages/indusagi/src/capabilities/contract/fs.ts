import { CoreError } from "../../core/index.ts";

/** Metadata of a file system entry. */
export interface FsEntryInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** The entry is a symbolic link. Only true if links were not followed. */
  readonly isSymlink: boolean;
  /** Bytes. */
  readonly size: number;
  /** Last change of the content, in milliseconds since the Unix epoch. */
  readonly modifiedMs: number;
  /** Permission bits, if the backend has them. */
  readonly mode?: number;
  /** The number of hard links, if the backend knows it. */
  readonly links?: number;
  /** Identifies this file even after a rename, if the backend can. */
  readonly identity?: string;
}

/** An entry of a directory. */
export interface FsDirEntry {
  readonly name: string;
  /** The kind of the entry itself: a link is a `symlink`, whatever its target is. */
  readonly kind: "file" | "directory" | "symlink" | "other";
}

/** A regular file opened for reading. It stays the same file even if its name is reused. */
export interface FsFile {
  /** The real path, links followed. */
  readonly path: string;
  readonly info: FsEntryInfo;
  /**
   * Up to `length` bytes from `position`; fewer only at the end of the file. The result may be a view of `into`, if it
   * has room for `length` bytes: a long scan that passes the same buffer each time makes no garbage.
   */
  read(position: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface FsWriteOptions {
  /** Permission bits of a new file. An existing file keeps its own. */
  readonly mode?: number;
  /** Fail with `changed` unless the file is still the one described here. */
  readonly onlyIf?: FsEntryInfo;
  /** Fail with `exists` if the file exists. */
  readonly onlyNew?: boolean;
}

export interface FsRmOptions {
  readonly recursive?: boolean;
  /** Do not fail if the entry does not exist. */
  readonly ignoreMissing?: boolean;
}

/**
 * The file system of tools. Tools use no other, so a host can replace it completely (by a container, an editor's
 * buffers, a test that injects faults).
 *
 * Paths are absolute. Every failure is an `FsError`. No method blocks on a device, a pipe or a socket.
 */
export interface Fs {
  /** The whole file as UTF-8, invalid bytes replaced. For small files; see `open` for large ones. */
  readText(path: string): Promise<string>;
  /** The whole file. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Opens a regular file for reading in parts; fails at once for anything else. */
  open(path: string): Promise<FsFile>;
  /**
   * Replaces or creates the file atomically: a reader, even after a crash, sees either the old content or the new.
   * Follows links; keeps mode and owner.
   */
  writeFile(path: string, content: string | Uint8Array, options?: FsWriteOptions): Promise<void>;
  /** Metadata of the path, links followed unless `followLinks` is false. */
  stat(path: string, options?: { readonly followLinks?: boolean }): Promise<FsEntryInfo>;
  /** The entries of a directory, in no particular order, without `.` and `..`. */
  readDir(path: string): Promise<readonly FsDirEntry[]>;
  /** The target of a symbolic link, as written. */
  readLink(path: string): Promise<string>;
  /** The real path, links followed. Its last parts need not exist. */
  resolve(path: string): Promise<string>;
  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
  rm(path: string, options?: FsRmOptions): Promise<void>;
  /** Also false if the path cannot be inspected. */
  exists(path: string): Promise<boolean>;
}

/** Why a file system operation failed. */
export type FsErrorKind =
  | "not_found"
  | "exists"
  | "is_directory"
  | "not_directory"
  | "not_empty"
  | "not_a_file"
  | "outside"
  | "no_permission"
  | "read_only"
  | "no_space"
  | "too_many_open"
  | "invalid_path"
  | "changed"
  | "unavailable"
  | "io";

/** A failed file system operation. The message names the path and is for a model. */
export class FsError extends CoreError<FsErrorKind> {
  readonly path: string;

  constructor(kind: FsErrorKind, path: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(kind, message, options);
    this.path = path;
  }
}
