import { join } from "node:path";
import { errorCode, systemClock } from "indusagi/core";
import type { LogDisk } from "../disk/log-disk.ts";
import { LedgerLogError } from "../ledger-log-error.ts";
import { segmentPath } from "./ledger-segments.ts";
import { isRunning, ownMark, type ProcessMark } from "./process-mark.ts";

/** The right to be the only writer of a segment. */
export interface SegmentLock {
  release(): Promise<void>;
}

interface Claim extends ProcessMark {
  readonly name: string;
}

/** Two that ask at the same moment both step back; chance lets one be first the next time. */
const ATTEMPTS = 8;
const STEP_BACK_MS = 40;

/** The segment whose lock is wanted, and where. */
interface Wanted {
  readonly disk: LogDisk;
  readonly folder: string;
  readonly segment: string;
}

/**
 * Takes a segment's lock, or refuses with `locked` when a running process has it. A lock is an empty file whose *name* says
 * who holds it: it is never half written, and that of a process that was killed is known as such, and removed, by whoever
 * comes next. First one's own name goes in, then the others are looked for, so of two that put theirs in at least one sees both.
 */
export async function lockSegment(disk: LogDisk, folder: string, segment: string): Promise<SegmentLock> {
  const wanted = { disk, folder, segment };
  const mark = ownMark();
  const mine = `${segment}.${mark.place}-${mark.pid}-${mark.start}.lock`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const holder = await findHolder(wanted);
    if (holder) throw refusal(wanted, saysWho(folder, holder));
    if (await claim(wanted, mine)) return { release: () => disk.remove(join(folder, mine)) };
    await systemClock.sleep(Math.random() * STEP_BACK_MS);
  }
  throw refusal(wanted, "is wanted by several writers at once; try again");
}

/** Puts our name in, and takes it out again unless it is the only one. */
async function claim(wanted: Wanted, mine: string): Promise<boolean> {
  const { disk, folder } = wanted;
  try {
    await (await disk.open(join(folder, mine), "create")).close();
  } catch (thrown) {
    // The name holds our number and our start: only we ourselves can have made it, a moment ago.
    throw errorCode(thrown) === "EEXIST"
      ? refusal(wanted, "is being opened by this process already")
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

/** The running process that holds or wants the segment, if there is one. The locks of dead ones go. */
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

/** Somebody else may have been quicker. */
async function removeStale(disk: LogDisk, path: string): Promise<void> {
  await disk.remove(path).catch((thrown: unknown) => {
    if (errorCode(thrown) !== "ENOENT") throw thrown;
  });
}

function saysWho(folder: string, { pid, name }: Claim): string {
  return `is being written by process ${pid}; if there is no such process any more, remove ${join(folder, name)}`;
}

function refusal({ folder, segment }: Wanted, message: string): LedgerLogError {
  return new LedgerLogError("locked", segmentPath(folder, segment), message);
}
