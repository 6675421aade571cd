import { join } from "node:path";
import { errorCode, systemClock } from "indusagi/core";
import type { LogDisk } from "../disk/log-disk.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import { segmentPath } from "./ledger-segments.ts";
import { isRunning, ownMark, type ProcessMark } from "./process-mark.ts";

/** The exclusive right to write a segment. */
export interface SegmentLock {
  release(): Promise<void>;
}

interface Claim extends ProcessMark {
  readonly name: string;
}

/** Two processes that claim at the same time both step back; a random delay lets one be first in the next attempt. */
const ATTEMPTS = 8;
const STEP_BACK_MS = 40;

interface Wanted {
  readonly disk: LogDisk;
  readonly folder: string;
  readonly segment: string;
}

/**
 * Locks a segment, or rejects with `locked` if a running process holds it. A lock is an empty file whose name identifies the
 * holder: it cannot be half written, and the lock of a killed process is recognised and removed by the next one. A process
 * creates its file first and then looks for others, so that of two claims at the same time at least one sees both.
 */
export async function lockSegment(disk: LogDisk, folder: string, segment: string): Promise<SegmentLock> {
  const wanted = { disk, folder, segment };
  const mark = ownMark();
  const mine = `${segment}.${mark.place}-${mark.pid}-${mark.start}.lock`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const holder = await findHolder(wanted);
    if (holder) throw refusal(wanted, heldBy(folder, holder));
    if (await claim(wanted, mine)) return { release: () => disk.remove(join(folder, mine)) };
    await systemClock.sleep(Math.random() * STEP_BACK_MS);
  }
  throw refusal(wanted, "is being claimed by several writers at once; try again");
}

/** Creates our lock file, and removes it again unless it is the only one. */
async function claim(wanted: Wanted, mine: string): Promise<boolean> {
  const { disk, folder } = wanted;
  try {
    await (await disk.open(join(folder, mine), "create")).close();
  } catch (thrown) {
    // The name contains our process id and start time: only this process can have created it.
    throw errorCode(thrown) === "EEXIST"
      ? refusal(wanted, "is already being opened by this process")
      : thrown;
  }
  let isOurs = false;
  try {
    isOurs = (await findHolder(wanted, mine)) === undefined;
  } finally {
    if (!isOurs) await disk.remove(join(folder, mine));
  }
  return isOurs;
}

/** The running process that holds or claims the segment, if any. Locks of dead processes are removed. */
async function findHolder({ disk, folder, segment }: Wanted, except?: string): Promise<Claim | undefined> {
  const claims = (await disk.list(folder)).flatMap((name) => parseClaim(name, segment) ?? []);
  let holder: Claim | undefined;
  for (const claim of claims) {
    if (claim.name === except) continue;
    if (isRunning(claim)) holder = claim;
    else await removeStale(disk, join(folder, claim.name));
  }
  return holder;
}

function parseClaim(name: string, segment: string): Claim | undefined {
  if (!name.startsWith(`${segment}.`)) return undefined;
  const match = /^([0-9a-f]{8})-(\d+)-([0-9a-z]+)\.lock$/.exec(name.slice(segment.length + 1));
  if (!match) return undefined;
  const [, place = "", pid, start = ""] = match;
  return { name, place, pid: Number(pid), start };
}

/** Another process may have removed it first. */
async function removeStale(disk: LogDisk, path: string): Promise<void> {
  await disk.remove(path).catch((thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  });
}

function heldBy(folder: string, { pid, name }: Claim): string {
  return `is being written by process ${pid}; if that process no longer exists, remove ${join(folder, name)}`;
}

function refusal({ folder, segment }: Wanted, message: string): LedgerLogError {
  return new LedgerLogError("locked", segmentPath(folder, segment), message);
}
