import { join } from "node:path";
import { type Clock, systemClock } from "../clock.ts";
import { CoreError, errorCode } from "../core-error.ts";
import { isProcessRunning, ownMark, type ProcessMark } from "./process-mark.ts";

/** The exclusive right to change something, among all processes. */
export interface FileLock {
  release(): Promise<void>;
}

/** What a lock is for: a name in a folder. */
export interface LockPlace {
  readonly folder: string;
  readonly name: string;
  /** Default: this machine's disk. */
  readonly disk?: LockDisk;
}

/** The file operations of a lock, as a port. Failures are the errors of the system. */
export interface LockDisk {
  /** Creates an empty file; fails with EEXIST if it exists. */
  create(path: string): Promise<void>;
  /** The names in a folder, in any order. */
  list(folder: string): Promise<readonly string[]>;
  remove(path: string): Promise<void>;
}

/** Why a lock could not be taken: a running process holds it, or several processes try at the same time. */
export type LockRefusal =
  | { readonly reason: "held"; readonly pid: number; readonly path: string }
  | { readonly reason: "contended" };

interface Claim extends ProcessMark {
  readonly file: string;
}

type Wanted = Required<LockPlace>;

/** Two processes that claim at once both step back; a random delay lets one win the next attempt. */
const ATTEMPTS = 8;
const STEP_BACK_MS = 40;

/**
 * Takes a lock, or returns why it cannot be taken now. A lock is an empty file whose name identifies the holder: it cannot
 * be half written, and the lock of a killed process is recognised and removed by the next one. A process creates its file
 * first and then looks for others, so of two concurrent claims at least one sees both.
 */
export async function tryFileLock(place: LockPlace): Promise<FileLock | LockRefusal> {
  const wanted = { disk: localLockDisk, ...place };
  const { place: machine, pid, start } = ownMark();
  const mine = `${wanted.name}.${machine}-${pid}-${start}.lock`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const holder = await findHolder(wanted);
    if (holder) return { reason: "held", pid: holder.pid, path: join(wanted.folder, holder.file) };
    if (await claim(wanted, mine)) return lockOf(wanted, mine);
    await systemClock.sleep(Math.random() * STEP_BACK_MS);
  }
  return { reason: "contended" };
}

export interface LockWaitOptions {
  /** How long to wait for another holder. */
  readonly waitMs: number;
  readonly clock?: Clock;
}

/** Runs a step while holding a lock. Waits for other holders; rejects with a `locked` error when the time is up. */
export async function withFileLock<Value>(
  place: LockPlace,
  { waitMs, clock = systemClock }: LockWaitOptions,
  step: () => Promise<Value> | Value,
): Promise<Value> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const lock = await tryFileLock(place);
    if ("release" in lock) {
      try {
        return await step();
      } finally {
        await lock.release();
      }
    }
    if (clock.monotonicMs() >= deadlineMs) throw new CoreError("locked", lockMessage(place, lock));
    await clock.sleep(5 + Math.random() * STEP_BACK_MS);
  }
}

function lockMessage({ folder, name }: LockPlace, refusal: LockRefusal): string {
  const path = join(folder, name);
  return refusal.reason === "contended"
    ? `${path} is being changed by several processes at once; try again`
    : `${path} is being changed by process ${refusal.pid}; if that process no longer exists, remove ${refusal.path}`;
}

function lockOf({ disk, folder }: Wanted, file: string): FileLock {
  return { release: () => removeFile(disk, join(folder, file)) };
}

/** Creates our lock file, and removes it again unless it is the only one. */
async function claim(wanted: Wanted, mine: string): Promise<boolean> {
  const path = join(wanted.folder, mine);
  try {
    await wanted.disk.create(path);
  } catch (thrown) {
    // The name contains our process id and start time: another part of this process claims the lock too.
    if (errorCode(thrown) === "EEXIST") return false;
    throw thrown;
  }
  let isOurs = false;
  try {
    isOurs = (await findHolder(wanted, mine)) === undefined;
  } finally {
    if (!isOurs) await wanted.disk.remove(path);
  }
  return isOurs;
}

/** The running process that holds or claims the lock, if any. Locks of dead processes are removed. */
async function findHolder({ disk, folder, name }: Wanted, except?: string): Promise<Claim | undefined> {
  const claims = (await disk.list(folder)).flatMap((file) => parseClaim(file, name) ?? []);
  let holder: Claim | undefined;
  for (const claim of claims) {
    if (claim.file === except) continue;
    if (isProcessRunning(claim)) holder = claim;
    else await removeFile(disk, join(folder, claim.file));
  }
  return holder;
}

function parseClaim(file: string, name: string): Claim | undefined {
  if (!file.startsWith(`${name}.`)) return undefined;
  const match = /^([0-9a-f]{8})-(\d+)-([0-9a-z]+)\.lock$/.exec(file.slice(name.length + 1));
  if (!match) return undefined;
  const [, place = "", pid, start = ""] = match;
  return { file, place, pid: Number(pid), start };
}

/** Another process, or a person, may have removed it first. */
async function removeFile(disk: LockDisk, path: string): Promise<void> {
  await disk.remove(path).catch((thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  });
}

/** This machine's disk. */
const localLockDisk: LockDisk = {
  create: async (path) => {
    const { open } = process.getBuiltinModule("node:fs/promises");
    await (await open(path, "wx", 0o600)).close();
  },
  list: (folder) => process.getBuiltinModule("node:fs/promises").readdir(folder),
  remove: (path) => process.getBuiltinModule("node:fs/promises").unlink(path),
};
