import { errorCode } from "../../../core/index.ts";
import { type AnchoredDir, anchorDir } from "./anchored-dir.ts";
import type { Disk } from "./disk.ts";

/**
 * Removes a name, and with `recursive` everything below it. Folders are held before they are entered: if a folder is
 * replaced by a link, the link is removed and not followed.
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

/** Another program may remove the same files. */
async function removeIfThere(disk: Disk, dir: AnchoredDir, name: string): Promise<void> {
  try {
    await removeTree(disk, dir, name, true);
  } catch (thrown) {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  }
}
