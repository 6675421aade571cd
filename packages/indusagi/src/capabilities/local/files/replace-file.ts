import { constants } from "node:fs";
import { errorCode, mintUlid } from "../../../core/index.ts";
import type { FsWriteOptions } from "../../contract/index.ts";
import type { AnchoredDir } from "./anchored-dir.ts";
import type { Disk, DiskHandle } from "./disk.ts";
import { entryInfo, isSameVersion } from "./entry-info.ts";
import { refusal } from "./fs-error.ts";
import { closeQuietly } from "./held-path.ts";
import { keepOwnerAndMode } from "./keep-owner.ts";
import { tempName } from "./temp-files.ts";
import { lstatOrNothing, type WriteTarget } from "./write-target.ts";

export interface Replacement extends WriteTarget {
  readonly content: Uint8Array;
  readonly options: FsWriteOptions;
  /** The path as the caller knows it. */
  readonly path: string;
}

/**
 * Puts new content in a file's place: a temporary file beside it, flushed, then renamed over it. Until the rename
 * nothing of the old file has changed; after it the new one is whole. A failure leaves no temporary file.
 */
export async function replaceFile(disk: Disk, replacement: Replacement): Promise<void> {
  const { dir, name, existing, options, path } = replacement;
  if (existing && options.onlyNew) throw refusal("exists", path, "already exists");
  // A rename asks only the folder for permission; a file that may not be written to must not be replaced either.
  if (existing) await disk.access(dir.child(name), constants.W_OK);
  const temp = dir.child(tempName(process.pid, mintUlid()));
  try {
    const handle = await disk.open(temp, TEMP_FLAGS, existing ? 0o600 : (options.mode ?? 0o666));
    await fill(handle, replacement);
    await assertAsExpected(disk, replacement);
    await (options.onlyNew ? takeNewName(disk, temp, dir.child(name)) : disk.rename(temp, dir.child(name)));
  } catch (thrown) {
    await removeTemp(disk, temp);
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
    await flush(handle);
  } catch (thrown) {
    await closeQuietly(handle);
    throw thrown;
  }
  await handle.close(); // Not quietly: a network file system may report only now that it has no room.
}

/** Codes of file systems that cannot flush, as opposed to those that tried and failed. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function flush(handle: DiskHandle): Promise<void> {
  try {
    await handle.sync();
  } catch (thrown) {
    if (!CANNOT_FLUSH.has(errorCode(thrown))) throw thrown;
  }
}

async function assertAsExpected(disk: Disk, { dir, name, options, path }: Replacement): Promise<void> {
  if (!options.onlyIf) return;
  const now = await lstatOrNothing(disk, dir.child(name));
  if (now && isSameVersion(options.onlyIf, entryInfo(now))) return;
  throw refusal("changed", path, "changed by somebody else meanwhile");
}

/** Codes of file systems that know no second name for a file. */
const CANNOT_LINK: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/** Gives the file its name unless somebody has it: unlike a rename, a link refuses to take an existing name. */
async function takeNewName(disk: Disk, temp: string, target: string): Promise<void> {
  try {
    await disk.link(temp, target);
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    if (await lstatOrNothing(disk, target)) throw Object.assign(new Error("exists"), { code: "EEXIST" });
    return disk.rename(temp, target);
  }
  await removeTemp(disk, temp);
}

/** Twice, because the first failure may have been the passing one that brought us here. */
async function removeTemp(disk: Disk, temp: string): Promise<void> {
  await disk.unlink(temp).catch(() => disk.unlink(temp).catch(() => {}));
}

/** The rename itself must survive a power cut. Not every platform can flush a directory; the file is whole either way. */
async function syncDir(disk: Disk, dir: AnchoredDir): Promise<void> {
  try {
    const handle = await disk.open(dir.self, constants.O_RDONLY);
    await handle.sync().catch(() => {});
    await closeQuietly(handle);
  } catch {
    // See above.
  }
}
