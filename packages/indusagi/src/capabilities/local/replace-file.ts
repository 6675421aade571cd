import { constants, type Stats } from "node:fs";
import { mintUlid } from "../../core/index.ts";
import { FsError, type FsWriteOptions } from "../contract/index.ts";
import type { AnchoredDir } from "./anchored-dir.ts";
import type { Disk, DiskHandle } from "./disk.ts";
import { entryInfo, isSameVersion } from "./entry-info.ts";
import { tempName } from "./temp-files.ts";

export interface Replacement {
  readonly dir: AnchoredDir;
  readonly name: string;
  readonly content: Uint8Array;
  /** What stands there now, if anything does. */
  readonly existing?: Stats;
  readonly options: FsWriteOptions;
  /** The path as the caller knows it. */
  readonly path: string;
}

/**
 * Puts new content in a file's place: a temporary file beside it, flushed, then renamed over it.
 * Until the rename nothing of the old file has changed; after it the new one is whole. A failure leaves no temporary file.
 */
export async function replaceFile(disk: Disk, replacement: Replacement): Promise<void> {
  const { dir } = replacement;
  const temp = dir.child(tempName(process.pid, mintUlid()));
  const handle = await disk.open(temp, TEMP_FLAGS, replacement.existing ? 0o600 : (replacement.options.mode ?? 0o666));
  try {
    await fill(handle, replacement);
    await putInPlace(disk, temp, replacement);
  } catch (thrown) {
    await disk.unlink(temp).catch(() => {});
    throw thrown;
  }
  await syncDir(disk, dir);
}

const TEMP_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

async function fill(handle: DiskHandle, { content, existing, options }: Replacement): Promise<void> {
  try {
    await handle.writeFile(content);
    if (existing) await keepOwnerAndMode(handle, existing);
    else if (options.mode !== undefined) await handle.chmod(options.mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwnerAndMode(handle: DiskHandle, existing: Stats): Promise<void> {
  const fresh = await handle.stat();
  let mode = existing.mode & 0o7777;
  if (fresh.uid !== existing.uid || fresh.gid !== existing.gid) {
    try {
      await handle.chown(existing.uid, existing.gid);
    } catch {
      mode &= 0o777; // Another owner: the set-id bits would now speak for us instead of them.
    }
  }
  await handle.chmod(mode);
}

async function putInPlace(disk: Disk, temp: string, { dir, name, options, path }: Replacement): Promise<void> {
  const target = dir.child(name);
  if (options.onlyIf) {
    const now = await disk.lstat(target);
    if (!isSameVersion(options.onlyIf, entryInfo(now))) {
      throw new FsError("changed", path, `changed by somebody else meanwhile: ${path}`);
    }
  }
  if (!options.onlyNew) return disk.rename(temp, target);
  await disk.link(temp, target); // Unlike a rename, a link refuses to take an existing name.
  await disk.unlink(temp);
}

/** The rename itself must survive a power cut. Not every platform can flush a directory; the file is whole either way. */
async function syncDir(disk: Disk, dir: AnchoredDir): Promise<void> {
  try {
    const handle = await disk.open(dir.self, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch {
    // See above.
  }
}
