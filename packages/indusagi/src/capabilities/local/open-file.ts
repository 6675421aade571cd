import { constants, type Stats } from "node:fs";
import { FsError } from "../contract/index.ts";
import type { Disk, DiskHandle } from "./disk.ts";

// O_NONBLOCK: a pipe put in the file's place between look and open must not hold us.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens a regular file for reading. Devices, pipes, sockets and directories are refused before they are touched. */
export async function openFile(disk: Disk, path: string): Promise<DiskHandle> {
  assertRegular(await disk.stat(path), path);
  const handle = await disk.open(path, READ_FLAGS);
  try {
    assertRegular(await handle.stat(), path);
    return handle;
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Up to `length` bytes from `position`, looping over short reads; fewer only at the end of the file. */
export async function readFully(handle: DiskHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw new FsError("is_directory", path, `is a directory: ${path}`);
  throw new FsError("not_a_file", path, `is ${specialKind(stats)}, not a regular file: ${path}`);
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "a device" : "a special file";
}
