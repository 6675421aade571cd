import { CoreError } from "../../core/index.ts";

/** What a name in the file system stands for. */
export interface FsEntryInfo {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  /** The name itself is a symbolic link. Only ever true when links were not followed. */
  readonly isSymlink: boolean;
  /** Bytes. */
  readonly size: number;
  /** Last change of the content, in milliseconds since the Unix epoch. */
  readonly modifiedMs: number;
  /** Permission bits, where the backend has them. */
  readonly mode?: number;
  /** How many names lead to this file, where the backend knows: more than one means hard links. */
  readonly links?: number;
  /** Tells this very file from any other, also after a rename, where the backend can. */
  readonly identity?: string;
}

/** One name in a directory. */
export interface FsDirEntry {
  readonly name: string;
  /** The kind of the name itself: a link is a `symlink`, whatever it leads to. */
  readonly kind: "file" | "directory" | "symlink" | "other";
}

/** A regular file opened for reading. It stays the same file even if its name is given to another. */
export interface FsFile {
  /** Where the file really is, links followed. */
  readonly path: string;
  readonly info: FsEntryInfo;
  /** Up to `length` bytes from `position`; fewer only at the end of the file. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface FsWriteOptions {
  /** Permission bits of a new file. An existing file keeps its own. */
  readonly mode?: number;
  /** Refuse with `changed` unless the file is still the one described here. */
  readonly onlyIf?: FsEntryInfo;
  /** Refuse with `exists` if there is a file already. */
  readonly onlyNew?: boolean;
}

export interface FsRmOptions {
  readonly recursive?: boolean;
  /** A name that is not there is no failure. */
  readonly ignoreMissing?: boolean;
}

/**
 * The file system as tools see it. Tools touch no other: a host that swaps this for another backend
 * (a container, an editor's buffers, a test that injects faults) has swapped all of it.
 *
 * Paths are absolute. Every refusal is an `FsError`. No method hangs on a device, a pipe or a socket.
 */
export interface Fs {
  /** The whole file as UTF-8, invalid bytes replaced. For small files: see `open` for the rest. */
  readText(path: string): Promise<string>;
  /** The whole file. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Opens a regular file for reading in pieces; anything else is refused at once. */
  open(path: string): Promise<FsFile>;
  /**
   * Replaces the file's content, or creates it, in one step: whoever looks, also after a crash, sees the old
   * content or the new, whole. Links are written through; mode and owner stay.
   */
  writeFile(path: string, content: string | Uint8Array, options?: FsWriteOptions): Promise<void>;
  /** What the path leads to, links followed unless `followLinks` is false. */
  stat(path: string, options?: { readonly followLinks?: boolean }): Promise<FsEntryInfo>;
  /** The names in a directory, in no particular order, without `.` and `..`. */
  readDir(path: string): Promise<readonly FsDirEntry[]>;
  /** What a symbolic link says, as written. */
  readLink(path: string): Promise<string>;
  /** Where a path really leads, links followed. Its last parts need not exist. */
  resolve(path: string): Promise<string>;
  mkdir(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
  rm(path: string, options?: FsRmOptions): Promise<void>;
  /** False also for what may not be seen. */
  exists(path: string): Promise<boolean>;
}

/** Why the file system refused. */
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

/** A refusal of the file system. The message names the path and is fit to be shown to a model. */
export class FsError extends CoreError<FsErrorKind> {
  readonly path: string;

  constructor(kind: FsErrorKind, path: string, message: string, options: { readonly cause?: unknown } = {}) {
    super(kind, message, options);
    this.path = path;
  }
}
