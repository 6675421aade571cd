import { errorCode } from "../../../core/index.ts";
import { type AnchoredDir, anchorDir } from "./anchored-dir.ts";
import type { Disk } from "./disk.ts";

/**
 * Removes a name, and with `recursive` all that is below it. Every folder is entered by holding it, never by its
 * name: a link that somebody puts in a folder's place is removed, not followed.
 */
export async function removeTree(
  disk: Disk,
  dir: AnchoredDir,
  name: string,
  recursive: boolean,
): Promise<void> {
  const path = dir.child(name);
  if (!(await disk.lstat(path)).isDirectory()) return disk.unlink(path);
  if (!recursive) throw Object.assign(new Error("is a directory"), { code: "EISDIR" });
  const inner = await anchorDir(disk, path, { noFollow: true });
  try {
    for (const entry of await disk.readdir(inner.self)) await removeIfThere(disk, inner, entry.name);
  } finally {
    await inner.close();
  }
  await disk.rmdir(path);
}

/** Somebody else may be tidying up, too. */
async function removeIfThere(disk: Disk, dir: AnchoredDir, name: string): Promise<void> {
  try {
    await removeTree(disk, dir, name, true);
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  }
}
