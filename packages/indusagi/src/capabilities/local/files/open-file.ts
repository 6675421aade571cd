import { constants, type Stats } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Disk, DiskHandle } from "../../../core/files/index.ts";
import { errorCode } from "../../../core/index.ts";
import { MAX_LINKS, tooManyLinks } from "./follow-path.ts";
import { refusal } from "./fs-error.ts";
import { type AnchoredDir, anchorDir, closeQuietly, type HeldPath } from "./held-path.ts";

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
function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw refusal("is_directory", path, "is a directory");
  throw refusal("not_a_file", path, `is ${specialKind(stats)}, not a regular file`);
}

function specialKind(stats: Stats): string {
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "a device" : "a special file";
}

/** The file that a write replaces or creates. The caller must close `dir`. */
export interface WriteTarget {
  readonly dir: AnchoredDir;
  readonly name: string;
  /** The existing regular file, if there is one. */
  readonly existing?: Stats;
}

interface TargetOptions {
  /** The path as the caller knows it. */
  readonly path: string;
  /** Called for each folder before it is read; throws to refuse it. */
  readonly checkFolder: (dir: AnchoredDir) => Promise<void>;
}

/** Finds the file that a path refers to, following links in the middle and at the end. */
export async function openTarget(
  disk: Disk,
  realPath: string,
  { path, checkFolder }: TargetOptions,
): Promise<WriteTarget> {
  let here = realPath;
  for (let links = 0; links <= MAX_LINKS; links++) {
    if (here === dirname(here)) throw refusal("is_directory", path, "is a directory");
    const dir = await anchorDir(disk, dirname(here));
    try {
      await checkFolder(dir);
      const found = await lookAt(disk, { dir, name: basename(here) }, path);
      if (typeof found !== "string") return found;
      here = resolve(dir.realPath, found);
    } catch (thrown) {
      await dir.close();
      throw thrown;
    }
    await dir.close();
  }
  throw tooManyLinks();
}

/** The target, or the text of the link that is there. */
async function lookAt(disk: Disk, target: WriteTarget, path: string): Promise<WriteTarget | string> {
  const at = target.dir.child(target.name);
  const stats = await lstatOrNothing(disk, at);
  if (!stats) return target;
  if (stats.isSymbolicLink()) return disk.readlink(at);
  assertRegular(stats, path);
  return { ...target, existing: stats };
}

/** The stats of a path itself, or nothing if it does not exist. */
export async function lstatOrNothing(disk: Disk, path: string): Promise<Stats | undefined> {
  try {
    return await disk.lstat(path);
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
