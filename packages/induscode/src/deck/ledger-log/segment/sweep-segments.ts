import { join } from "node:path";
import { type Clock, errorCode, tryFileLock, ulidTime } from "indusagi/core";
import type { BridgeEntry } from "../../ledger/index.ts";
import type { LogDisk } from "../log-disk.ts";
import type { BodyRecord } from "../record/record-body.ts";
import { scanLog } from "../scan-log.ts";
import { type LedgerSegment, listLedgerSegments, lockDisk, SWEEP_LOCK } from "./ledger-segments.ts";
import { bodyIds, findBodies, referredBodies } from "./segment-bodies.ts";

/** Segments of ended runs are deleted after this many days. */
const KEEP_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The last state of a tool in a deleted segment. */
export interface LastState {
  readonly server: string;
  /** The exact name on the server. */
  readonly tool: string;
  readonly fingerprint: string;
  /** Whether the tool was live at the end of the run. */
  readonly isLive: boolean;
  /** When the tool was first and last recorded. */
  readonly since: string;
  readonly at: string;
}

export interface SweepOptions {
  /** Stores the last states before their segment is deleted. If it rejects, the segment stays. */
  readonly keep: (states: readonly LastState[]) => Promise<void> | void;
  /** Default: 30. */
  readonly days?: number;
}

/** What a sweep did. */
export interface SweepResult {
  /** The ids of the deleted segments. */
  readonly deleted: readonly string[];
  /** Old segments that stay: damaged, unreadable or still being written. */
  readonly kept: readonly string[];
}

export interface Sweep extends SweepOptions {
  readonly disk: LogDisk;
  readonly folder: string;
  readonly clock: Clock;
  /** The segment of the sweeping run. */
  readonly own: string;
  /** Stores bodies in the segment of the sweeping run. Resolves when they are flushed. */
  readonly carry: (bodies: readonly BodyRecord[]) => Promise<void>;
}

/**
 * Deletes old segments of ended runs. First copies the bodies that other segments refer to and keeps the last states, so a crash
 * loses nothing.
 */
export async function sweepSegments(sweep: Sweep): Promise<SweepResult> {
  const { disk, folder, clock, days = KEEP_DAYS, own } = sweep;
  const oldest = clock.nowMs() - days * DAY_MS;
  const isOld = ({ id }: LedgerSegment): boolean => id !== own && ulidTime(id) < oldest;
  const old = (await listLedgerSegments(folder, { disk })).filter(isOld);
  const deleted: string[] = [];
  if (old.length === 0) return { deleted, kept: [] };
  const lock = await tryFileLock({ folder, name: SWEEP_LOCK, disk: lockDisk(disk) });
  if (!("release" in lock)) return { deleted, kept: old.map(({ id }) => id) };
  try {
    for (const segment of old) if (await sweepOne(sweep, segment, oldest)) deleted.push(segment.id);
  } finally {
    await lock.release();
  }
  return { deleted, kept: old.flatMap(({ id }) => (deleted.includes(id) ? [] : [id])) };
}

async function sweepOne(sweep: Sweep, segment: LedgerSegment, oldest: number): Promise<boolean> {
  const { disk, folder } = sweep;
  const lock = await tryFileLock({ folder, name: segment.id, disk: lockDisk(disk) });
  if (!("release" in lock)) return false;
  try {
    const states = await lastStates(disk, folder, segment);
    if (!states || states.some(({ at }) => Date.parse(at) >= oldest)) return false;
    await sweep.carry(await bodiesToCarry(sweep, segment));
    await sweep.keep(states);
    await disk.remove(segment.path);
    await removeTails(disk, folder, segment.id);
    await disk.syncFolder(folder);
    return true;
  } catch {
    // The segment stays, and the next run retries.
    return false;
  } finally {
    await lock.release();
  }
}

/** The last state of each tool of a segment. Undefined if it is damaged. */
async function lastStates(
  disk: LogDisk,
  folder: string,
  { path }: LedgerSegment,
): Promise<LastState[] | undefined> {
  const states = new Map<string, LastState>();
  const names = new Map<string, string>();
  const onEntry = ({ op, key, server, at, capability }: BridgeEntry): void => {
    if (capability) names.set(key, capability.descriptor.origin?.tool ?? capability.descriptor.name);
    const tool = names.get(key);
    if (tool === undefined) return;
    const place = JSON.stringify([server, tool]);
    const before = states.get(place);
    const fingerprint = capability?.fingerprint ?? before?.fingerprint ?? "";
    states.set(place, { server, tool, fingerprint, isLive: op === "enroll", since: before?.since ?? at, at });
  };
  const file = await disk.open(path, "read");
  try {
    const { reading } = await scanLog(file, { onEntry }, (ids) => findBodies(disk, folder, ids));
    return reading.state === "corrupt" ? undefined : [...states.values()];
  } finally {
    await file.close();
  }
}

/**
 * The bodies that only this segment has and others refer to. While another run is active, all that only this segment has: that
 * run may refer to any body that it found at its start.
 */
async function bodiesToCarry({ disk, folder, own }: Sweep, segment: LedgerSegment): Promise<BodyRecord[]> {
  const others = (await listLedgerSegments(folder, { disk })).filter(({ id }) => id !== segment.id);
  const wanted = await bodyIds(disk, segment.path);
  const isAlone = !(await disk.list(folder)).some(
    (name) =>
      name.endsWith(".lock") && ![own, segment.id, SWEEP_LOCK].some((id) => name.startsWith(`${id}.`)),
  );
  const referred = new Set<string>();
  for (const { path } of others) {
    for (const id of await bodyIds(disk, path)) wanted.delete(id);
    if (isAlone) for (const id of await referredBodies(disk, path)) referred.add(id);
  }
  if (isAlone) for (const id of wanted) if (!referred.has(id)) wanted.delete(id);
  return [...(await findBodies(disk, folder, wanted)).values()];
}

async function removeTails(disk: LogDisk, folder: string, id: string): Promise<void> {
  const tails = (await disk.list(folder)).filter((name) => name.startsWith(`${id}.log.`));
  for (const name of tails)
    await disk.remove(join(folder, name)).catch((thrown: unknown) => {
      if (errorCode(thrown) !== "ENOENT") throw thrown;
    });
}
