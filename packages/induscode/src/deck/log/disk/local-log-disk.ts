import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, unlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { errorCode } from "indusagi/core";
import type { LogDisk, LogFile, LogOpenMode } from "./log-disk.ts";

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL } = constants;
// Absent on Windows. Without waiting: the opening of a pipe that took the file's name would never end.
const GUARDS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const FLAGS: { readonly [Mode in LogOpenMode]: number } = {
  read: O_RDONLY | GUARDS,
  write: O_RDWR | GUARDS,
  create: O_RDWR | O_CREAT | O_EXCL | GUARDS,
};

/** The disk of this machine. What it makes only its owner may read. */
export const localLogDisk: LogDisk = {
  open: async (path, mode) => {
    const handle = await open(path, FLAGS[mode], 0o600);
    if ((await handle.stat()).isFile()) return fileOf(handle);
    await handle.close();
    throw Object.assign(new Error(`${path} is no regular file`), { code: "EINVAL" });
  },
  list: (folder) => readdir(folder),
  remove: (path) => unlink(path),
  makeFolder: async (folder) => {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    // The new folders' own names are safe only once the folders around them are. Not all of those need be readable.
    for (let made = resolve(folder); made.length >= first.length; made = dirname(made))
      await syncFolder(dirname(made)).catch(() => {});
  },
  syncFolder,
};

async function syncFolder(folder: string): Promise<void> {
  // Not every platform can flush a folder: Windows cannot even open one.
  if (process.platform === "win32") return;
  const handle = await open(folder, O_RDONLY);
  try {
    await flush(() => handle.sync());
  } finally {
    await handle.close();
  }
}

function fileOf(handle: FileHandle): LogFile {
  return {
    size: async () => (await handle.stat()).size,
    read: async (position, length) => {
      const buffer = new Uint8Array(length);
      const { bytesRead } = await handle.read(buffer, 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
    write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    sync: () => flush(() => handle.datasync()),
    truncate: (size) => handle.truncate(size),
    close: () => handle.close(),
  };
}

/** Codes of file systems that cannot flush, as opposed to those that tried and failed. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function flush(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (thrown) {
    if (!CANNOT_FLUSH.has(errorCode(thrown))) throw thrown;
  }
}
