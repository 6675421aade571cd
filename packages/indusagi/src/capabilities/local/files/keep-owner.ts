import type { Stats } from "node:fs";
import type { DiskHandle } from "./disk.ts";

/**
 * Gives a file that will take another's place that one's owner, group and mode, as far as we are allowed to.
 * What we may not give away costs rights, never adds any: nobody can do more with the new file than with the old.
 */
export async function keepOwnerAndMode(handle: DiskHandle, old: Stats): Promise<void> {
  const fresh = await handle.stat();
  const kept = await keepOwner(handle, fresh, old);
  const mode = rightsLeft(old.mode & 0o7777, kept);
  // Not when it is right already: file systems without modes refuse to set one.
  if (kept.touched || (fresh.mode & 0o7777) !== mode) await handle.chmod(mode);
}

/** What of the old owner the new file has, and whether it was changed to have it: that clears mode bits. */
export interface KeptOwner {
  readonly user: boolean;
  readonly group: boolean;
  readonly touched: boolean;
}

async function keepOwner(handle: DiskHandle, fresh: Stats, old: Stats): Promise<KeptOwner> {
  const user = fresh.uid === old.uid;
  const group = fresh.gid === old.gid;
  if (user && group) return { user, group, touched: false };
  if (await mayChown(handle, old.uid, old.gid)) return { user: true, group: true, touched: true };
  // Only the system's administrator gives files away, but everybody may choose among their own groups.
  const groupOnly = !user && !group && (await mayChown(handle, fresh.uid, old.gid));
  return { user, group: group || groupOnly, touched: true };
}

async function mayChown(handle: DiskHandle, uid: number, gid: number): Promise<boolean> {
  try {
    await handle.chown(uid, gid);
    return true;
  } catch {
    return false;
  }
}

/** The mode for a file whose owner or group could not be kept. */
export function rightsLeft(mode: number, { user, group }: Pick<KeptOwner, "user" | "group">): number {
  let left = mode;
  if (!user) left &= ~0o4000; // The program would now run as us instead of them.
  if (!group) {
    // To the old file, the new group's members were others.
    const others = mode & 0o007;
    left = (left & ~0o2070) | (others << 3);
  }
  return left;
}
