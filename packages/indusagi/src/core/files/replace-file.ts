import type { constants as fsConstants, Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "../core-error.ts";
import { asyncDisk, type FileDisk, type FileDiskHandle, type FileFolder, syncDisk } from "./disk.ts";
import { type Awaitable, runAsync, runSync, type Steps, stepResult } from "./steps.ts";
import { type LeftoverOptions, removeSteps, sweepSteps, tempName } from "./temp-files.ts";

interface Replacement {
  readonly folder: FileFolder;
  readonly name: string;
  readonly content: Uint8Array;
  /** The file that is there now. The new one keeps its owner and mode. */
  readonly existing?: Stats | undefined;
  /** The mode of a new file. Default: what the process's umask leaves. */
  readonly mode?: number | undefined;
  /** Fail with EEXIST if the name is taken. */
  readonly onlyNew?: boolean | undefined;
  /** Skip fsync: a power cut may damage the file. Only for data that can be made again. */
  readonly canLose?: boolean | undefined;
  /** Called after the content is on disk, before the file gets its name. Throws to refuse. */
  readonly check?: (() => Awaitable<void>) | undefined;
}

/**
 * Replaces a file atomically: writes, flushes and renames a temporary file next to it. A reader, or a crash, finds the
 * whole old file or the whole new one. A failure leaves the old file and no temporary one.
 */
export function replaceFile(disk: FileDisk, replacement: Replacement): Promise<void> {
  return runAsync(replaceSteps(disk, replacement));
}

export interface SyncReplacement
  extends Pick<Replacement, "content" | "existing" | "mode" | "onlyNew" | "canLose"> {
  readonly path: string;
}

/** `replaceFile` for synchronous code. Also removes leftovers of killed writers from the folder. */
export function replaceFileSync({ path, ...rest }: SyncReplacement): void {
  const folder = folderOf(path);
  runSync(sweepSteps(syncDisk, folder));
  runSync(replaceSteps(syncDisk, { ...rest, folder, name: basename(path) }));
}

export interface AsyncReplacement extends SyncReplacement {
  /** Default: this machine's disk. */
  readonly disk?: FileDisk | undefined;
}

/**
 * `replaceFileSync` without blocking: one rename can take a third of a second. Two concurrent replacements of one file may
 * end in either order.
 */
export async function replaceFileAsync({ path, disk = asyncDisk, ...rest }: AsyncReplacement): Promise<void> {
  const folder = folderOf(path);
  await runAsync(sweepSteps(disk, folder));
  await runAsync(replaceSteps(disk, { ...rest, folder, name: basename(path) }));
}

function folderOf(path: string): FileFolder {
  const self = dirname(path);
  return { self, child: (name) => join(self, name) };
}

/** Removes leftovers of killed writers from a folder. */
export function sweepTempFiles(disk: FileDisk, folder: FileFolder, options?: LeftoverOptions): Promise<void> {
  return runAsync(sweepSteps(disk, folder, options));
}

function* replaceSteps(disk: FileDisk, replacement: Replacement): Steps<void> {
  const { folder, name, existing, mode, onlyNew, check } = replacement;
  const temp = folder.child(tempName());
  const target = folder.child(name);
  try {
    // Private until it has its owner and mode: it may hold secrets.
    const handle = yield* stepResult(disk.open(temp, tempFlags(), existing ? 0o600 : (mode ?? 0o666)));
    yield* fill(handle, replacement);
    if (check) yield* stepResult(check());
    yield* onlyNew ? takeNewName(disk, temp, target) : renameOver(disk, temp, target);
  } catch (thrown) {
    yield* removeTemp(disk, temp);
    throw thrown;
  }
  if (!replacement.canLose) yield* flushFolder(disk, folder);
}

/** Loaded on first use, like `syncDisk`'s functions. */
const constants = (): typeof fsConstants => process.getBuiltinModule("node:fs").constants;

function tempFlags(): number {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants();
  return O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW; // Windows has no O_NOFOLLOW; `|` takes undefined as 0.
}

function* fill(handle: FileDiskHandle, { content, existing, mode, canLose }: Replacement): Steps<void> {
  try {
    yield* stepResult(handle.writeFile(content));
    if (existing) yield* keepOwnerAndMode(handle, existing);
    else if (mode !== undefined) yield* addMissingRights(handle, mode);
    if (!canLose) yield* flush(handle);
  } catch (thrown) {
    yield* closeQuietly(handle);
    throw thrown;
  }
  yield* stepResult(handle.close()); // Its errors count: a network file system may only now report that it is full.
}

/** The umask may have removed rights. File systems without modes grant all of them and refuse chmod. */
function* addMissingRights(handle: FileDiskHandle, mode: number): Steps<void> {
  const { mode: fresh } = yield* stepResult(handle.stat());
  if ((fresh & mode) !== mode) yield* stepResult(handle.chmod(mode));
}

/** Codes of file systems that do not support fsync, as opposed to a failed fsync. */
const CANNOT_FLUSH: ReadonlySet<string | undefined> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

function* flush(handle: FileDiskHandle): Steps<void> {
  try {
    yield* stepResult(handle.sync());
  } catch (thrown) {
    if (!CANNOT_FLUSH.has(errorCode(thrown))) throw thrown;
  }
}

/** What Windows reports for a file that a program has open, such as a virus scanner or another reader of ours. */
const OPEN_ELSEWHERE: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);
const FIRST_PAUSE_MS = 5;
/** With pauses that double, a second and a quarter in all. */
const RENAME_TRIES = 9;

function* renameOver(disk: FileDisk, from: string, to: string): Steps<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return yield* stepResult(disk.rename(from, to));
    } catch (thrown) {
      if (!disk.pause || !OPEN_ELSEWHERE.has(errorCode(thrown))) throw thrown;
      if (tries === RENAME_TRIES)
        throw Object.assign(new Error("in use by another program", { cause: thrown }), { code: "EBUSY" });
      yield* stepResult(disk.pause(FIRST_PAUSE_MS * 2 ** (tries - 1)));
    }
  }
}

/** Codes of file systems without hard links. */
const CANNOT_LINK: ReadonlySet<string | undefined> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/** Names the file unless the name is taken: unlike a rename, a link does not replace an existing file. */
function* takeNewName(disk: FileDisk, temp: string, target: string): Steps<void> {
  try {
    yield* stepResult(disk.link(temp, target));
  } catch (thrown) {
    if (!CANNOT_LINK.has(errorCode(thrown))) throw thrown;
    if (yield* isThere(disk, target)) throw Object.assign(new Error("exists"), { code: "EEXIST" });
    return yield* stepResult(disk.rename(temp, target));
  }
  yield* removeTemp(disk, temp);
}

function* isThere(disk: FileDisk, path: string): Steps<boolean> {
  try {
    yield* stepResult(disk.lstat(path));
    return true;
  } catch (thrown) {
    if (errorCode(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

/** Tries twice: the failure that led here may have been temporary. */
function* removeTemp(disk: FileDisk, temp: string): Steps<void> {
  if (!(yield* removeSteps(disk, temp))) yield* removeSteps(disk, temp);
}

/** Makes the rename survive a power cut. Not every platform can flush a folder; the file is whole either way. */
function* flushFolder(disk: FileDisk, folder: FileFolder): Steps<void> {
  try {
    const handle = yield* stepResult(disk.open(folder.self, constants().O_RDONLY));
    try {
      yield* stepResult(handle.sync());
    } finally {
      yield* closeQuietly(handle);
    }
  } catch {
    // See above.
  }
}

function* closeQuietly(handle: FileDiskHandle): Steps<void> {
  try {
    yield* stepResult(handle.close());
  } catch {
    // Nothing was written that counts.
  }
}

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

interface KeptOwner {
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
