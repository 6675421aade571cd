import type { Stats } from "node:fs";
import type { Awaitable } from "./steps.ts";

/** The system calls that replacing a file needs. All return promises, or none does. */
export interface FileDisk {
  open(path: string, flags: number, mode?: number): Awaitable<FileDiskHandle>;
  lstat(path: string): Awaitable<Stats>;
  readdir(path: string): Awaitable<readonly { readonly name: string }[]>;
  rename(from: string, to: string): Awaitable<void>;
  link(existing: string, added: string): Awaitable<void>;
  unlink(path: string): Awaitable<void>;
}

export interface FileDiskHandle {
  stat(): Awaitable<Stats>;
  writeFile(content: Uint8Array): Awaitable<void>;
  chmod(mode: number): Awaitable<void>;
  chown(uid: number, gid: number): Awaitable<void>;
  sync(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** A folder that files are replaced in. Its paths may go through a descriptor, so that a renamed folder stays the same. */
export interface FileFolder {
  /** A path to the folder. */
  readonly self: string;
  /** A path to a name in the folder. */
  child(name: string): string;
}
