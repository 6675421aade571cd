import { constants, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { link, lstat, mkdir, open, readlink, rename, rmdir, symlink } from "node:fs/promises";
import type { FsEntryInfo } from "indusagi/capabilities";
import { errorCode } from "indusagi/core";
import { type LogDisk, type LogFile, localLogDisk } from "../../ledger-log/index.ts";
import { fileOf } from "../../ledger-log/internal.ts";

/** A new file of the workspace. */
export interface WorkFile extends LogFile {
  setMode(mode: number): Promise<void>;
  /** Rejects where the user may not give files away. */
  setOwner(owner: FileOwner): Promise<void>;
}

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** The file system of a checkpoint store, as a port: tests use one that fails or is killed midway. */
export interface CheckpointDisk extends LogDisk {
  /** Creates a private file that did not exist. */
  create(path: string): Promise<WorkFile>;
  /** Writes a private file synchronously, via a temporary name and without flushing: for very many files. */
  writeNow(path: string, bytes: Uint8Array): void;
  rename(from: string, to: string): Promise<void>;
  /** Adds a name to a file. Fails if the name exists. */
  link(existing: string, added: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  /** The target of a link, as written. */
  readLink(path: string): Promise<string>;
  /** Makes a folder in one that exists. Fails if the name exists. */
  mkdir(path: string, mode: number): Promise<void>;
  /** Sets the permission bits of a folder. No link is followed. */
  setFolderMode(path: string, mode: number): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** An entry, links not followed. Undefined if there is none. */
  look(path: string): Promise<DiskEntry | undefined>;
}

export interface DiskEntry extends FsEntryInfo, FileOwner {
  /** The same for two names of one file. */
  readonly identity: string;
}

/**
 * Decodes a file name or link target. If the bytes are not UTF-8, each byte above 127 becomes a lone surrogate, which valid
 * text never has: so a string can name every file.
 */
export function decodePath(name: Buffer): string {
  const text = name.toString("utf8");
  if (Buffer.from(text).equals(name)) return text;
  return name
    .toString("latin1")
    .replaceAll(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
}

const LONE = /(?<![\ud800-\udbff])[\udc80-\udcff]/;

/** The inverse. Node accepts paths as bytes too. */
export function encodePath(path: string): string {
  if (!LONE.test(path)) return path;
  const parts = path.split(/(?<![\ud800-\udbff])([\udc80-\udcff])/);
  const bytes = parts.map((part) =>
    LONE.test(part) ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part),
  );
  return Buffer.concat(bytes) as unknown as string;
}

const { O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW } = constants;

/** The disk of this machine. */
export const localCheckpointDisk: CheckpointDisk = {
  ...localLogDisk,
  open: (path, mode) => localLogDisk.open(encodePath(path), mode),
  remove: (path) => localLogDisk.remove(encodePath(path)),
  create: async (path) => {
    const handle = await open(path, O_RDWR | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o600);
    return {
      ...fileOf(handle),
      setMode: (mode) => handle.chmod(mode),
      setOwner: ({ uid, gid }) => handle.chown(uid, gid),
    };
  },
  writeNow: (path, bytes) => {
    const temp = `${path}.tmp`;
    try {
      writeFileSync(temp, bytes, { mode: 0o600 });
      renameSync(temp, path);
    } catch (thrown) {
      rmSync(temp, { force: true });
      throw thrown;
    }
  },
  rename: (from, to) => rename(encodePath(from), encodePath(to)),
  link: (existing, added) => link(encodePath(existing), encodePath(added)),
  symlink: (target, path) => symlink(encodePath(target), encodePath(path)),
  readLink: async (path) => decodePath(await readlink(encodePath(path), { encoding: "buffer" })),
  mkdir: async (path, mode) => {
    await mkdir(path, mode);
    // The umask may have removed bits. If this fails, the mode is only stricter.
    await setFolderMode(path, mode).catch(() => {});
  },
  setFolderMode,
  removeFolder: (path) => rmdir(path),
  look: async (path) => {
    try {
      return entryOf(await lstat(encodePath(path)));
    } catch (thrown) {
      if (errorCode(thrown) === "ENOENT") return undefined;
      throw thrown;
    }
  },
};

/** Through a descriptor, to follow no link. */
async function setFolderMode(path: string, mode: number): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    await folder.chmod(mode);
  } finally {
    await folder.close();
  }
}

function entryOf(stats: Stats): DiskEntry {
  const { size, mtimeMs, mode, nlink, dev, ino, birthtimeMs, uid, gid } = stats;
  return {
    isFile: stats.isFile(),
    isDirectory: stats.isDirectory(),
    isSymlink: stats.isSymbolicLink(),
    size,
    modifiedMs: mtimeMs,
    mode: mode & 0o7777,
    links: nlink,
    // With the creation time, because inodes of deleted files are soon reused.
    identity: `${dev}:${ino}:${birthtimeMs}`,
    uid,
    gid,
  };
}

/** Removes a file if it is there. */
export async function removeIfThere(disk: Pick<LogDisk, "remove">, path: string): Promise<void> {
  await disk.remove(path).catch((thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  });
}
