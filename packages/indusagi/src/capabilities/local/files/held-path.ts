import { constants, type Stats } from "node:fs";
import type { Disk, DiskHandle } from "./disk.ts";

/**
 * A file or folder held without being opened: nothing is read and no device is woken. What is checked about it stays
 * true, because whoever swaps its name for a link afterwards changes where the name leads, not what is held.
 */
export interface HeldPath {
  /** Where it really is. */
  readonly realPath: string;
  /** A path to this very thing. */
  readonly self: string;
  stat(): Promise<Stats>;
  /** Never fails: nothing was written through it. */
  close(): Promise<void>;
}

export interface HoldOptions {
  /** Refuse anything but a directory. */
  readonly directory?: boolean;
  /** Refuse to follow a link at the end of the path. */
  readonly noFollow?: boolean;
}

// O_PATH is missing in node's constants. It needs no permission on the thing itself.
const O_PATH = 0x20_0000;

/** Holds what a path leads to; where the system cannot, its real path stands in. */
export async function holdPath(disk: Disk, path: string, options: HoldOptions = {}): Promise<HeldPath> {
  if (!disk.fdPath) return byName(disk, path, options);
  const handle = await disk.open(path, O_PATH | flagsOf(options));
  const self = disk.fdPath(handle.fd);
  try {
    const realPath = withoutDeletedMark(await disk.readlink(self), path);
    return { realPath, self, stat: () => handle.stat(), close: () => closeQuietly(handle) };
  } catch (thrown) {
    await closeQuietly(handle);
    throw thrown;
  }
}

/** Closes what was only read from: by then the answer is known, and no failure could change it. */
export async function closeQuietly(handle: DiskHandle): Promise<void> {
  await handle.close().catch(() => {});
}

function flagsOf({ directory, noFollow }: HoldOptions): number {
  return (directory ? constants.O_DIRECTORY : 0) | (noFollow ? constants.O_NOFOLLOW : 0);
}

/** A file that was replaced since it was opened is shown with this mark behind its last path. */
function withoutDeletedMark(shown: string, path: string): string {
  return shown === `${path} (deleted)` ? path : shown;
}

async function byName(disk: Disk, path: string, { directory, noFollow }: HoldOptions): Promise<HeldPath> {
  const look = (at: string): Promise<Stats> => (noFollow ? disk.lstat(at) : disk.stat(at));
  if (directory && !(await look(path)).isDirectory()) {
    throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  }
  const realPath = await disk.realpath(path);
  return { realPath, self: realPath, stat: () => disk.stat(realPath), close: async () => {} };
}
