import type { Stats } from "node:fs";
import type { FileDiskHandle } from "./disk.ts";
import { type Steps, stepResult } from "./steps.ts";

/**
 * Gives a new file the owner, group and mode of the file it replaces, as far as the system allows. Where owner or group
 * cannot be kept, rights are taken away and never added: no user can do more with the new file than with the old one.
 */
export function* keepOwnerAndMode(handle: FileDiskHandle, old: Stats): Steps<void> {
  const fresh = yield* stepResult(handle.stat());
  const kept = yield* keepOwner(handle, fresh, old);
  const mode = rightsLeft(old.mode & 0o7777, kept);
  // Only when it differs: file systems without modes refuse to set one.
  if (kept.touched || (fresh.mode & 0o7777) !== mode) yield* stepResult(handle.chmod(mode));
}

export interface KeptOwner {
  /** Whether the new file has the old owner. */
  readonly user: boolean;
  /** Whether the new file has the old group. */
  readonly group: boolean;
  /** Whether a change of owner was tried: it clears bits of the mode. */
  readonly touched: boolean;
}

function* keepOwner(handle: FileDiskHandle, fresh: Stats, old: Stats): Steps<KeptOwner> {
  const user = fresh.uid === old.uid;
  const group = fresh.gid === old.gid;
  if (user && group) return { user, group, touched: false };
  if (yield* tryChown(handle, old.uid, old.gid)) return { user: true, group: true, touched: true };
  // Only root may give a file away, but every user may choose one of their own groups.
  const groupOnly = !user && !group && (yield* tryChown(handle, fresh.uid, old.gid));
  return { user, group: group || groupOnly, touched: true };
}

function* tryChown(handle: FileDiskHandle, uid: number, gid: number): Steps<boolean> {
  try {
    yield* stepResult(handle.chown(uid, gid));
    return true;
  } catch {
    return false;
  }
}

/** The mode for a file whose owner or group may not have been kept. */
export function rightsLeft(mode: number, { user, group }: Pick<KeptOwner, "user" | "group">): number {
  let left = mode;
  if (!user) left &= ~0o4000; // The program would run with our rights instead of the old owner's.
  if (!group) {
    // Members of the new group had the rights of others on the old file.
    const others = mode & 0o007;
    left = (left & ~0o2070) | (others << 3);
  }
  return left;
}
