import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorCode } from "indusagi/core";

/** One open file of a log. */
export interface LogFile {
  /** The size of the file in bytes. */
  size(): Promise<number>;
  /** Reads up to `length` bytes from `position`, possibly into `reuse`. Only an empty result means the end of the file. */
  read(position: number, length: number, reuse?: Uint8Array): Promise<Uint8Array>;
  /** Writes at `position` and returns the number of bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves when everything written is safe from a power cut. */
  sync(): Promise<void>;
  /** Shortens the file to `size` bytes. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** How a file is opened. `create` fails if the file exists. */
export type LogOpenMode = "read" | "write" | "create";

/** The file system of a log, as a port: tests use a failing one. Failures are the errors of the system. */
export interface LogDisk {
  open(path: string, mode: LogOpenMode): Promise<LogFile>;
  /** The names in a folder, in any order. */
  list(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
  /** Atomically replaces `to` by `from`. Without it no segment is compacted. */
  rename?(from: string, to: string): Promise<void>;
  /** Creates a folder that only its owner can enter, if it does not exist. */
  makeFolder(folder: string): Promise<void>;
  /** Makes the names in a folder safe from a power cut, where the platform can. */
  syncFolder(folder: string): Promise<void>;
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants;
// Both are absent on Windows. Nonblocking: opening a pipe with the name of the file would wait forever.
const GUARDS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const FLAGS: { readonly [Mode in LogOpenMode]: number } = {
  read: O_RDONLY | GUARDS,
  write: O_RDWR | GUARDS,
  create: O_RDWR | O_CREAT | O_EXCL | GUARDS,
};

/** The disk of this machine. Only the owner can read the files it creates. */
export const localLogDisk: LogDisk = {
  open: async (path, mode) => {
    const handle = await open(path, FLAGS[mode], 0o600);
    if ((await handle.stat()).isFile()) return fileOf(handle);
    await handle.close();
    throw Object.assign(new Error(`${path} is not a regular file`), { code: "EINVAL" });
  },
  list: (folder) => readdir(folder),
  remove: (path) => unlink(path),
  rename: (from, to) => rename(from, to),
  makeFolder: async (folder) => {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // A new folder is safe from a power cut only after its parent is flushed. Parents may be unreadable.
    for (let created = resolve(folder); created.length >= first.length; created = dirname(created))
      await syncFolder(dirname(created)).catch(() => {});
  },
  syncFolder,
};

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and so cannot flush one.
  if (process.platform === "win32") return;
  const handle = await open(folder, O_RDONLY);
  try {
    await flush(() => handle.sync());
  } finally {
    await handle.close();
  }
}

/** Wraps an open handle. */
export function fileOf(handle: FileHandle): LogFile {
  return {
    size: async () => (await handle.stat()).size,
    read: async (position, length, reuse) => {
      const buffer = reuse && reuse.length >= length ? reuse : Buffer.allocUnsafeSlow(length);
      const { bytesRead } = await handle.read(buffer, 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    sync: () => flush(() => handle.datasync()),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

/** Error codes of file systems that cannot flush. Other codes mean that flushing failed. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function flush(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (thrown) {
    if (!CANNOT_FLUSH.has(errorCode(thrown))) throw thrown;
  }
}

/**
 * Reads `length` bytes from `position`, or fewer at the end of the file, even if the system returns them in small pieces. May
 * use the memory of `reuse`.
 */
export async function readLogBytes(
  file: LogFile,
  position: number,
  length: number,
  reuse?: Uint8Array,
): Promise<Uint8Array> {
  const first = await file.read(position, length, reuse);
  if (first.length === length || first.length === 0) return first;
  const buffer = new Uint8Array(length);
  buffer.set(first);
  let filled = first.length;
  while (filled < length) {
    const piece = await file.read(position + filled, length - filled);
    if (piece.length === 0) break;
    buffer.set(piece, filled);
    filled += piece.length;
  }
  return buffer.subarray(0, filled);
}

/** Writes all bytes at `position`, even if the system takes them in small pieces. */
export async function writeLogBytes(file: LogFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const taken = await file.write(bytes.subarray(written), position + written);
    // Otherwise a disk that takes nothing without an error would be retried forever.
    if (taken === 0) throw Object.assign(new Error("the disk takes no more bytes"), { code: "EIO" });
    written += taken;
  }
}
