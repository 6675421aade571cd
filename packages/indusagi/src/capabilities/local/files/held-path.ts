import { constants, type Stats } from "node:fs";
import { join } from "node:path";
import type { Disk, DiskHandle } from "../../../core/files/index.ts";

/**
 * A file or folder held by a descriptor without being opened: nothing is read and no device is activated. Checks on it
 * stay valid, because replacing its name with a link changes the name, not what is held.
 */
export interface HeldPath {
  /** The path without links. */
  readonly realPath: string;
  /** A path through the descriptor to exactly this file or folder. */
  readonly self: string;
  stat(): Promise<Stats>;
  /** Never fails: nothing was written through it. */
  close(): Promise<void>;
}

export interface HoldOptions {
  /** Accept only a directory. */
  readonly directory?: boolean;
  /** Refuse to follow a link at the end of the path. */
  readonly noFollow?: boolean;
}

// O_PATH is missing in Node's constants. It needs no permission on the file itself.
const O_PATH = 0x20_0000;

/** Holds what a path refers to. Systems that cannot do this use the real path instead. */
export async function holdPath(disk: Disk, path: string, options: HoldOptions = {}): Promise<HeldPath> {
  if (!disk.fdPath) return holdByName(disk, path, options);
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

/** A held directory: `child` refers to names in it even if the directory is renamed or replaced. */
export interface AnchoredDir extends HeldPath {
  /** A path to a name in this directory. */
  child(name: string): string;
}

/** Holds a directory; refuses anything else. */
export async function anchorDir(
  disk: Disk,
  path: string,
  options: { readonly noFollow?: boolean } = {},
): Promise<AnchoredDir> {
  const held = await holdPath(disk, path, { ...options, directory: true });
  return { ...held, child: (name) => join(held.self, name) };
}

/** Closes a handle that was only read from, and ignores errors: they cannot change the result. */
export async function closeQuietly(handle: DiskHandle): Promise<void> {
  await handle.close().catch(() => {});
}

function flagsOf({ directory, noFollow }: HoldOptions): number {
  return (directory ? constants.O_DIRECTORY : 0) | (noFollow ? constants.O_NOFOLLOW : 0);
}

/** The system marks the path of a file that was replaced after it was opened. */
function withoutDeletedMark(shown: string, path: string): string {
  return shown === `${path} (deleted)` ? path : shown;
}

async function holdByName(disk: Disk, path: string, { directory, noFollow }: HoldOptions): Promise<HeldPath> {
  const look = (at: string): Promise<Stats> => (noFollow ? disk.lstat(at) : disk.stat(at));
  if (directory && !(await look(path)).isDirectory()) {
    throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  }
  const realPath = await disk.realpath(path);
  return { realPath, self: realPath, stat: () => disk.stat(realPath), close: async () => {} };
}
