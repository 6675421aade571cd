import type * as nodeFs from "node:fs";
import type { Dirent, Stats } from "node:fs";
import type * as nodeFsPromises from "node:fs/promises";
import { systemClock } from "../clock.ts";
import type { Awaitable } from "./steps.ts";

/** An open file or directory. */
export interface DiskHandle {
  readonly fd: number;
  stat(): Promise<Stats>;
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  readFile(): Promise<Uint8Array>;
  writeFile(content: Uint8Array): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The system calls of a file system, as a port: a test that makes the n-th call fail reaches every intermediate
 * state of a write.
 */
export interface Disk {
  open(path: string, flags: number, mode?: number): Promise<DiskHandle>;
  access(path: string, mode: number): Promise<void>;
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  readdir(path: string): Promise<Dirent[]>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, added: string): Promise<void>;
  unlink(path: string): Promise<void>;
  pause?(ms: number): Promise<void>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /**
   * The path of an open descriptor, on systems that have such paths. Calls that take a path then work relative to a held
   * file or folder. Without it, plain paths are used, and a swap between check and use is possible.
   */
  readonly fdPath?: (fd: number) => string;
}

/** The part of `Disk` that replacing a file needs. All calls return promises, or none does: see `syncDisk`. */
export interface FileDisk {
  open(path: string, flags: number, mode?: number): Awaitable<FileDiskHandle>;
  lstat(path: string): Awaitable<Stats>;
  readdir(path: string): Awaitable<readonly { readonly name: string }[]>;
  rename(from: string, to: string): Awaitable<void>;
  link(existing: string, added: string): Awaitable<void>;
  unlink(path: string): Awaitable<void>;
  /** Waits. Only on Windows, where a file that a program has open cannot be replaced until it is closed. */
  pause?(ms: number): Awaitable<void>;
}

export interface FileDiskHandle {
  stat(): Awaitable<Stats>;
  writeFile(content: Uint8Array): Awaitable<void>;
  chmod(mode: number): Awaitable<void>;
  chown(uid: number, gid: number): Awaitable<void>;
  sync(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** A folder in which files are replaced. Its paths may go through a descriptor, which survives renaming the folder. */
export interface FileFolder {
  /** A path to the folder. */
  readonly self: string;
  /** A path to a name in the folder. */
  child(name: string): string;
}

/** Loaded on first use: it imports the streams, which takes several milliseconds. */
const fs = (): typeof nodeFs => process.getBuiltinModule("node:fs");
const fsPromises = (): typeof nodeFsPromises => process.getBuiltinModule("node:fs/promises");

const isWindows = process.platform === "win32";

/** This machine's disk, called without blocking the event loop. */
export const asyncDisk: Disk = {
  open: (path, flags, mode) => fsPromises().open(path, flags, mode),
  access: (path, mode) => fsPromises().access(path, mode),
  stat: (path) => fsPromises().stat(path),
  lstat: (path) => fsPromises().lstat(path),
  readdir: (path) => fsPromises().readdir(path, { withFileTypes: true }),
  readlink: (path) => fsPromises().readlink(path),
  realpath: (path) => fsPromises().realpath(path),
  rename: (from, to) => fsPromises().rename(from, to),
  link: (existing, added) => fsPromises().link(existing, added),
  unlink: (path) => fsPromises().unlink(path),
  mkdir: (path) => fsPromises().mkdir(path),
  rmdir: (path) => fsPromises().rmdir(path),
  ...(isWindows ? { pause: (ms: number) => systemClock.sleep(ms) } : {}),
};

/** This machine's disk, called synchronously. */
export const syncDisk: FileDisk = {
  open: (path, flags, mode) => syncHandle(fs().openSync(path, flags, mode)),
  lstat: (path) => fs().lstatSync(path),
  readdir: (path) => fs().readdirSync(path, { withFileTypes: true }),
  rename: (from, to) => fs().renameSync(from, to),
  link: (existing, added) => fs().linkSync(existing, added),
  unlink: (path) => fs().unlinkSync(path),
  ...(isWindows
    ? { pause: (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms) }
    : {}),
};

function syncHandle(fd: number): FileDiskHandle {
  return {
    stat: () => fs().fstatSync(fd),
    writeFile: (content) => fs().writeFileSync(fd, content),
    chmod: (mode) => fs().fchmodSync(fd, mode),
    chown: (uid, gid) => fs().fchownSync(fd, uid, gid),
    sync: () => fs().fsyncSync(fd),
    close: () => fs().closeSync(fd),
  };
}
