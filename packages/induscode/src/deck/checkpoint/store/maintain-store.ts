import { describeError } from "indusagi/core";
import { LedgerLogError } from "../../ledger-log/index.ts";
import { isSegmentId, lockSegment } from "../../ledger-log/internal.ts";
import { isFileMark } from "../file-mark.ts";
import { type RecoveredRewind, recoverRewind } from "../rewind/recover-rewind.ts";
import type { Workspace } from "../rewind/workspace.ts";
import type { CheckpointDisk } from "./checkpoint-disk.ts";
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

/** A node that may be dropped. */
export interface SizedNode {
  readonly session: string;
  readonly node: string;
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** Sizes of the contents that it needs, by hash. */
  readonly contents: ReadonlyMap<string, number>;
  /** The node is in use, or belongs to a session in use. */
  readonly isHeld: boolean;
}

interface StoreLimits {
  /** Nodes that began before this time are dropped. In milliseconds since the Unix epoch. */
  readonly oldestAt: number;
  /** The maximum size of contents in all sessions together. */
  readonly maxBytes: number;
}

/**
 * Chooses the nodes to drop, oldest first, to bring the rest within the limits. Drops only the oldest nodes of a session: a
 * rewind to a later node needs none of them. Keeps a node that is held, with all later nodes of its session.
 */
export function chooseDropped(nodes: readonly SizedNode[], limits: StoreLimits): SizedNode[] {
  const inOrder = [...nodes].sort((a, b) => a.at - b.at);
  const users = countUsers(nodes);
  let bytes = [...users.values()].reduce((sum, { size }) => sum + size, 0);
  const isBlocked = new Set<string>();
  const dropped: SizedNode[] = [];
  for (const node of inOrder) {
    if (node.isHeld) isBlocked.add(node.session);
    if (isBlocked.has(node.session)) continue;
    if (node.at >= limits.oldestAt && bytes <= limits.maxBytes) continue;
    dropped.push(node);
    for (const hash of node.contents.keys()) {
      const used = users.get(`${node.session} ${hash}`);
      if (used && --used.count === 0) bytes -= used.size;
    }
  }
  return dropped;
}

/** Contents are shared by the nodes of one session only. */
function countUsers(nodes: readonly SizedNode[]): Map<string, { count: number; readonly size: number }> {
  const users = new Map<string, { count: number; readonly size: number }>();
  for (const { session, contents } of nodes)
    for (const [hash, size] of contents) {
      const key = `${session} ${hash}`;
      const used = users.get(key) ?? { count: 0, size };
      used.count += 1;
      users.set(key, used);
    }
  return users;
}
