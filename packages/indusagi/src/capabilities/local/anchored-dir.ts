import { constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { Disk, DiskHandle } from "./disk.ts";

/**
 * A directory held open. What is checked about it stays true: whoever swaps the name for a link afterwards
 * changes where the name leads, not where `child` leads.
 */
export interface AnchoredDir {
  /** Where the directory really is. */
  readonly realPath: string;
  /** A path to a name in this very directory. */
  child(name: string): string;
  /** A path to this very directory. */
  readonly self: string;
  close(): Promise<void>;
}

// O_PATH is missing in node's constants. It needs no read permission on the directory.
const O_PATH = 0x20_0000;

/** Linux shows every open descriptor as a path, which makes node's path-taking calls relative to a descriptor. */
const hasFdPaths: boolean = process.platform === "linux" && existsSync("/proc/self/fd");

/**
 * Opens a directory to work in. Without descriptors as paths (macOS and Windows: untested) the real path stands in,
 * and a swap between check and use is possible.
 */
export async function anchorDir(disk: Disk, path: string, follow: "follow" | "no-follow" = "follow"): Promise<AnchoredDir> {
  if (!hasFdPaths) return pathAnchor(await disk.realpath(path));
  const noFollow = follow === "no-follow" ? constants.O_NOFOLLOW : 0;
  const handle = await disk.open(path, O_PATH | constants.O_DIRECTORY | noFollow);
  const self = fdPath(handle);
  try {
    const realPath = await disk.readlink(self);
    return { realPath, self, child: (name) => `${self}/${name}`, close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Where an open file really is; `path` is what it was opened by. */
export function openedPath(disk: Disk, handle: DiskHandle, path: string): Promise<string> {
  return hasFdPaths ? disk.readlink(fdPath(handle)) : disk.realpath(path);
}

function pathAnchor(realPath: string): AnchoredDir {
  return { realPath, self: realPath, child: (name) => join(realPath, name), close: async () => {} };
}

function fdPath(handle: DiskHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}
