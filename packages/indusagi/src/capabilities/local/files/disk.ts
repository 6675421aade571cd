import { type Dirent, existsSync, type Stats } from "node:fs";
import * as fs from "node:fs/promises";

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
 * The system calls of the local file system, as a port: a test that makes the n-th call fail reaches every intermediate
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
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  /**
   * The path of an open descriptor, on systems that have such paths. Calls that take a path then work relative to a held
   * file or folder. Without it, plain paths are used, and a swap between check and use is possible.
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
  // macOS and Windows (untested) have no such paths.
  ...(process.platform === "linux" && existsSync("/proc/self/fd")
    ? { fdPath: (fd: number) => `/proc/self/fd/${fd}` }
    : {}),
};
