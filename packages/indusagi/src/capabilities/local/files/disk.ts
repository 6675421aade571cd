import { type Dirent, existsSync, type Stats } from "node:fs";
import * as fs from "node:fs/promises";

/** An open file or directory, as much of it as we use. */
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
 * The system calls below the local file system, as a port: a test that lets the n-th of them fail
 * walks through every half-done state a write can be left in.
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
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /**
   * A path to an open descriptor, on systems that show descriptors as paths. It makes calls that take a path relative
   * to something held open. Without it, paths stand in, and a swap between check and use is possible.
   */
  readonly fdPath?: (fd: number) => string;
}

export const nodeDisk: Disk = {
  open: (path, flags, mode) => fs.open(path, flags, mode),
  access: (path, mode) => fs.access(path, mode),
  stat: (path) => fs.stat(path),
  lstat: (path) => fs.lstat(path),
  readdir: (path) => fs.readdir(path, { withFileTypes: true }),
  readlink: (path) => fs.readlink(path),
  realpath: (path) => fs.realpath(path),
  rename: (from, to) => fs.rename(from, to),
  link: (existing, added) => fs.link(existing, added),
  unlink: (path) => fs.unlink(path),
  mkdir: (path) => fs.mkdir(path),
  rmdir: (path) => fs.rmdir(path),
  // Elsewhere (macOS and Windows: untested) there is nothing of the kind.
  ...(process.platform === "linux" && existsSync("/proc/self/fd")
    ? { fdPath: (fd: number) => `/proc/self/fd/${fd}` }
    : {}),
};
