import { constants } from "node:fs";
import { link, lstat, open, rename, rmdir } from "node:fs/promises";
import { errorCode } from "indusagi/core";
import { type LogDisk, type LogFile, localLogDisk } from "../../log/index.ts";
import { fileOf } from "../../log/internal.ts";

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

/** The file system of a checkpoint store, as a port: tests use a failing one, or one that is killed in the middle. */
export interface CheckpointDisk extends LogDisk {
  /** Creates a private file that did not exist. */
  create(path: string): Promise<WorkFile>;
  rename(from: string, to: string): Promise<void>;
  /** Adds a name to a file. Fails if the name exists. */
  link(existing: string, added: string): Promise<void>;
  /** Removes an empty folder. */
  removeFolder(path: string): Promise<void>;
  /** Size, identity and owner of an entry, links not followed. Undefined if there is none. */
  look(path: string): Promise<DiskEntry | undefined>;
}

export interface DiskEntry extends FileOwner {
  readonly size: number;
  /** The same for two names of one file. */
  readonly identity: string;
}

const { O_RDWR, O_CREAT, O_EXCL } = constants;

/** The disk of this machine. */
export const localCheckpointDisk: CheckpointDisk = {
  ...localLogDisk,
  create: async (path) => {
    const handle = await open(path, O_RDWR | O_CREAT | O_EXCL | (constants.O_NOFOLLOW ?? 0), 0o600);
    return {
      ...fileOf(handle),
      setMode: (mode) => handle.chmod(mode),
      setOwner: ({ uid, gid }) => handle.chown(uid, gid),
    };
  },
  rename,
  link,
  removeFolder: (path) => rmdir(path),
  look: async (path) => {
    try {
      const { size, dev, ino, uid, gid } = await lstat(path);
      return { size, identity: `${dev}:${ino}`, uid, gid };
    } catch (thrown) {
      if (errorCode(thrown) === "ENOENT") return undefined;
      throw thrown;
    }
  },
};

/** Removes a file if it is there. */
export async function removeIfThere(disk: Pick<LogDisk, "remove">, path: string): Promise<void> {
  await disk.remove(path).catch((thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  });
}
