import { constants, type Stats } from "node:fs";
import type { Disk, DiskHandle } from "../../../core/files/index.ts";
import { refusal } from "./fs-error.ts";
import { closeQuietly, type HeldPath } from "./held-path.ts";

// O_NONBLOCK and O_NOCTTY: where a file cannot be held, it may be replaced by a pipe or terminal, which must not block.
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** A regular file open for reading. */
export interface OpenedFile {
  readonly handle: DiskHandle;
  readonly stats: Stats;
}

/** Opens a held regular file. Refuses devices, pipes, sockets and directories before opening them. */
export async function openFile(disk: Disk, held: HeldPath, path: string): Promise<OpenedFile> {
  assertRegular(await held.stat(), path);
  const handle = await disk.open(held.self, READ_FLAGS);
  try {
    const stats = await handle.stat();
    assertRegular(stats, path);
    return { handle, stats };
  } catch (thrown) {
    await closeQuietly(handle);
    throw thrown;
  }
}

/** Fills the buffer with the bytes from `position`. Returns the filled part, shorter only at the end of the file. */
export async function fillBuffer(
  handle: DiskHandle,
  position: number,
  buffer: Uint8Array,
): Promise<Uint8Array> {
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

/** Refuses anything that is not a regular file; the message names what it is. */
export function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw refusal("is_directory", path, "is a directory");
  throw refusal("not_a_file", path, `is ${specialKind(stats)}, not a regular file`);
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "a device" : "a special file";
}
