import type { Dirent, Stats } from "node:fs";
import * as fs from "node:fs/promises";

/** An open file or directory, as much of it as we use. */
export interface DiskHandle {
  readonly fd: number;
  stat(): Promise<Stats>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
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
  stat(path: string): Promise<Stats>;
  lstat(path: string): Promise<Stats>;
  readdir(path: string): Promise<Dirent[]>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, added: string): Promise<void>;
  unlink(path: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  rm(path: string, options: { readonly recursive: boolean; readonly force: boolean }): Promise<void>;
}

export const nodeDisk: Disk = {
  open: (path, flags, mode) => fs.open(path, flags, mode),
  stat: (path) => fs.stat(path),
  lstat: (path) => fs.lstat(path),
  readdir: (path) => fs.readdir(path, { withFileTypes: true }),
  readlink: (path) => fs.readlink(path),
  realpath: (path) => fs.realpath(path),
  rename: (from, to) => fs.rename(from, to),
  link: (existing, added) => fs.link(existing, added),
  unlink: (path) => fs.unlink(path),
  mkdir: async (path) => void (await fs.mkdir(path)),
  rm: (path, options) => fs.rm(path, options),
};
