import { describeError } from "indusagi/core";
import { LedgerLogError } from "../../ledger-log/index.ts";
import { isSegmentId, lockSegment } from "../../ledger-log/internal.ts";
import { isFileMark } from "../file-mark.ts";
import { type RecoveredRewind, recoverRewind } from "../rewind/recover-rewind.ts";
import type { Workspace } from "../rewind/workspace.ts";
import type { CheckpointDisk } from "./checkpoint-disk.ts";
import { chooseDropped, type SizedNode, type StoreLimits } from "./choose-dropped.ts";
import { type OpenSession, openStoreSession } from "./open-store-session.ts";
import { readSessionLog } from "./session-log.ts";
import type { StoreView } from "./store-view.ts";

/** A rewind that was interrupted, and what the next start did about it. */
export type Recovery = RecoveredRewind | FailedRecovery;

/** Could not be finished now. The next start retries. */
export interface FailedRecovery {
  readonly session: string;
  readonly state: "failed";
  readonly message: string;
}

export interface StorePlace {
  readonly disk: CheckpointDisk;
  readonly folder: string;
  readonly roots: readonly string[];
  readonly ignored?: Workspace["ignored"];
}

/** Finishes or undoes the rewinds that killed processes left in other sessions. */
export async function recoverOthers(place: StorePlace, own: string): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const session of await otherSessions(place, own)) {
    if (!(await viewOf(place, session))?.pending) continue;
    try {
      const recovered = await recoverOther(place, session);
      if (recovered) recoveries.push(recovered);
    } catch (thrown) {
      if (thrown instanceof LedgerLogError && thrown.kind === "locked") continue; // It is running.
      recoveries.push({ session, state: "failed", message: describeError(thrown) });
    }
  }
  return recoveries;
}

async function recoverOther(place: StorePlace, session: string): Promise<RecoveredRewind | undefined> {
  await using opened = await openStoreSession({ ...place, session });
  return await withRewindLock(place, () => recoverSession(place, opened)); // Awaited before it is closed.
}

/** Runs a step while no other process rewinds: two concurrent rewinds could each undo half of the other. */
export async function withRewindLock<Value>(
  { disk, folder }: StorePlace,
  step: () => Promise<Value>,
): Promise<Value> {
  const lock = await lockSegment(disk, folder, "rewind");
  try {
    return await step();
  } finally {
    await lock.release().catch(() => {});
  }
}

/** Finishes or undoes the interrupted rewind of a session, if it has one. */
export function recoverSession(
  place: StorePlace,
  { session, log, blobs }: OpenSession,
): Promise<RecoveredRewind | undefined> {
  return recoverRewind({ ...place, blobs }, { log, session });
}

/** Drops old nodes of all sessions until the store is within its limits. The nodes of running processes are kept. */
export async function pruneStore(
  place: StorePlace,
  own: OpenSession,
  { current, ...limits }: StoreLimits & { readonly current: string | undefined },
): Promise<void> {
  const nodes = sizedNodes(own.session, own.log.view, (node) => node === current);
  for (const session of await otherSessions(place, own.session)) {
    const view = await viewOf(place, session);
    if (!view) continue;
    nodes.push(...sizedNodes(session, view, () => false));
    if (view.mayHaveRest) await sweepElsewhere(place, session);
  }
  const dropped = chooseDropped(nodes, limits);
  for (const session of new Set(dropped.map((node) => node.session))) {
    const chosen = dropped.filter((node) => node.session === session);
    if (session === own.session) await drop(own, chosen);
    else await dropElsewhere(place, session, chosen);
  }
}

/** A killed process left the contents of its whole workspace. */
async function sweepElsewhere(place: StorePlace, session: string): Promise<void> {
  try {
    await using _ = await openStoreSession({ ...place, session }); // Closing it sweeps.
  } catch {
    // It is running, or damaged.
  }
}

async function dropElsewhere(
  place: StorePlace,
  session: string,
  chosen: readonly SizedNode[],
): Promise<void> {
  try {
    await using opened = await openStoreSession({ ...place, session });
    if (!opened.log.view.pending) await drop(opened, chosen);
  } catch {
    // It is running, damaged or was just removed by another process. Its own next start drops the nodes.
  }
}

async function drop(opened: OpenSession, chosen: readonly SizedNode[]): Promise<void> {
  await opened.log.append(chosen.map(({ node }) => ({ op: "drop", node })));
  await opened.sweep();
}

function sizedNodes(session: string, view: StoreView, isHeld: (node: string) => boolean): SizedNode[] {
  return view.nodes.map(({ id, at, before, open }) => {
    const contents = new Map([...before.values()].filter(isFileMark).map(({ hash, size }) => [hash, size]));
    if (open) contents.set(open.state, open.bytes);
    return { session, node: id, at, contents, isHeld: isHeld(id) };
  });
}

async function otherSessions({ disk, folder }: StorePlace, own: string): Promise<string[]> {
  const names = await disk.list(folder);
  return names
    .flatMap((name) => (name.endsWith(".log") ? name.slice(0, -".log".length) : []))
    .filter((session) => isSegmentId(session) && session !== own)
    .sort();
}

/** The view of a session that may be in use. Undefined if it cannot be read. */
async function viewOf(place: StorePlace, session: string): Promise<StoreView | undefined> {
  return readSessionLog({ ...place, session }).catch(() => undefined);
}
