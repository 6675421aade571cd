import { type Clock, KeyedQueue, mintUlid } from "indusagi/core";
import type { CheckpointStore, FileState, PreviousState } from "../contract/index.ts";
import { CheckpointError, checkpointRefusal } from "./checkpoint-error.ts";
import type { PathMark } from "./file-mark.ts";
import { executeRewind } from "./rewind/execute-rewind.ts";
import { changedPaths, planRewind, type RewindConflict, type SkippedPath } from "./rewind/plan-rewind.ts";
import { type FoundPath, inspectPath } from "./rewind/workspace.ts";
import { hashContent } from "./store/blob-folder.ts";
import {
  pruneStore,
  type Recovery,
  recoverSession,
  type StorePlace,
  withRewindLock,
} from "./store/maintain-store.ts";
import type { OpenSession } from "./store/open-session.ts";

/** A node that can be undone. */
export interface CheckpointNode {
  readonly id: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The paths that were changed in it, absolute. */
  readonly paths: readonly string[];
}

/** What a rewind did, path by path. Each path is in one list, except that a conflict that was forced is in two. */
export interface RewindReport {
  /** False: because of the conflicts, nothing was changed. */
  readonly done: boolean;
  /** Files that have their previous content and mode again. */
  readonly restored: readonly string[];
  /** Files that did not exist before, and were removed. */
  readonly removed: readonly string[];
  /** Paths that are as they were before. */
  readonly unchanged: readonly string[];
  /** Paths that differ from what we last wrote there. */
  readonly conflicts: readonly RewindConflict[];
  /** Paths that are never changed, with the reason. */
  readonly skipped: readonly SkippedPath[];
}

export interface RewindOptions {
  /** Also restore files that someone else changed since. Their present content is lost. */
  readonly force?: boolean;
}

export interface StoreSetup {
  readonly place: StorePlace;
  readonly opened: OpenSession;
  readonly clock: Clock;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  readonly recoveries: readonly Recovery[];
}

/** One session of a checkpoint store on the disk. `openCheckpointStore` makes one. */
export class DiskCheckpointStore implements CheckpointStore, AsyncDisposable {
  /** Rewinds that were interrupted earlier, and how each ended. */
  readonly recoveries: readonly Recovery[];
  readonly #setup: StoreSetup;
  /** One change at a time, in order. */
  readonly #queue = new KeyedQueue();
  #current: string | undefined;

  constructor(setup: StoreSetup) {
    this.#setup = setup;
    this.recoveries = setup.recoveries;
    this.#current = setup.opened.log.view.nodes.at(-1)?.id;
  }

  /** The id of the session, to open it again. */
  get session(): string {
    return this.#setup.opened.session;
  }

  /** The nodes that can be undone, oldest first. */
  get nodes(): readonly CheckpointNode[] {
    return this.#setup.opened.log.view.nodes.map(({ id, at, before }) => ({
      id,
      at,
      paths: [...before.keys()],
    }));
  }

  /**
   * Begins a node, by default with a new id; later records belong to it. The last node may be begun again. Drops old nodes
   * if the store is over its limits.
   */
  beginNode(id: string = mintUlid()): Promise<string> {
    return this.#inTurn(async () => {
      await this.#begin(id);
      await this.#prune();
      return id;
    });
  }

  record(absPath: string, previous: PreviousState): Promise<void> {
    return this.#inTurn(async () => {
      const { log, blobs } = this.#setup.opened;
      const node = await this.#begin(this.#current ?? mintUlid());
      if (log.view.node(node)?.before.has(absPath)) return;
      const mark = await markOf(previous, (bytes) => blobs.keep(bytes));
      await log.append([{ op: "before", node, path: absPath, mark }]);
    });
  }

  wrote(absPath: string, current: FileState | undefined): Promise<void> {
    return this.#inTurn(async () => {
      const mark = await markOf(current, hashContent);
      const node = await this.#begin(this.#current ?? mintUlid());
      await this.#setup.opened.log.append([{ op: "after", node, path: absPath, mark }]);
    });
  }

  /**
   * Goes back to the state before a node: undoes this node and all later ones of the session. All or nothing: if a file
   * differs from what we last wrote, nothing is changed, unless `force` is set.
   */
  rewind(node: string, { force = false }: RewindOptions = {}): Promise<RewindReport> {
    const { place, opened } = this.#setup;
    return this.#inTurn(() =>
      withRewindLock(place, async () => {
        await recoverSession(place, opened);
        return this.#rewindLocked(node, force);
      }),
    );
  }

  /** Waits for what is under way and releases the session. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#setup.opened.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #rewindLocked(node: string, force: boolean): Promise<RewindReport> {
    const { place, opened } = this.#setup;
    const { log, blobs } = opened;
    const nodes = log.view.nodesFrom(node);
    if (nodes.length === 0)
      throw new CheckpointError(
        "unknown_node",
        place.folder,
        `has no node "${node}" in session ${opened.session}`,
      );
    const found = new Map<string, FoundPath>();
    for (const path of changedPaths(nodes)) found.set(path, await inspectPath(place, path));
    const { steps, ...plan } = planRewind(nodes, found);
    if (plan.conflicts.length > 0 && !force) return { done: false, restored: [], removed: [], ...plan };
    await executeRewind({ ...place, blobs }, { log, node, planned: steps });
    if (!log.view.node(this.#current ?? "")) this.#current = undefined;
    await opened.sweep().catch(() => {}); // Contents that are no longer needed do no harm.
    const [removed, restored] = [steps.filter(isRemoval), steps.filter((step) => !isRemoval(step))];
    return { done: true, restored: restored.map(pathOf), removed: removed.map(pathOf), ...plan };
  }

  async #begin(id: string): Promise<string> {
    const { log } = this.#setup.opened;
    const { folder } = this.#setup.place;
    if (id === "" || id.length > MAX_ID_CHARS)
      throw new CheckpointError("bad_node", folder, `takes node ids of 1 to ${MAX_ID_CHARS} characters`);
    const last = log.view.nodes.at(-1)?.id;
    if (id !== last && log.view.node(id))
      throw new CheckpointError(
        "bad_node",
        folder,
        `cannot begin node "${id}" again: later nodes exist; rewind them first`,
      );
    if (id !== last) await log.append([{ op: "node", node: id, at: this.#setup.clock.nowMs() }]);
    this.#current = id;
    return id;
  }

  /** Never fails: a store over its limits is better than a write that is refused. */
  async #prune(): Promise<void> {
    const { place, opened, clock, maxBytes, maxAgeMs } = this.#setup;
    const limits = { oldestAt: clock.nowMs() - maxAgeMs, maxBytes, current: this.#current };
    await pruneStore(place, opened, limits).catch(() => {});
  }

  async #inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await this.#queue.run("store", step);
    } catch (thrown) {
      throw checkpointRefusal(this.#setup.place.folder, "used", thrown);
    }
  }
}

const MAX_ID_CHARS = 200;

const isRemoval = ({ to }: { readonly to: PathMark }): boolean => to === "absent";
const pathOf = ({ path }: { readonly path: string }): string => path;

async function markOf(
  state: PreviousState,
  take: (bytes: FileState["bytes"]) => Promise<{ readonly hash: string; readonly size: number }>,
): Promise<PathMark> {
  if (state === undefined) return "absent";
  if (state === "unknown") return state;
  const { bytes, mode } = state;
  return { ...(await take(bytes)), ...(mode === undefined ? {} : { mode }) };
}
