import { type Clock, KeyedQueue, mintUlid } from "indusagi/core";
import type { CheckpointStore, FileState, PreviousState } from "../contract/index.ts";
import { CheckpointError, checkpointRefusal, FolderError } from "./checkpoint-error.ts";
import { isFileMark, isFolderMark, type PathMark } from "./file-mark.ts";
import { FolderReader } from "./folder-reader.ts";
import { changesBetween, contentsOf, type FolderState, formatState } from "./folder-state.ts";
import { executeRewind } from "./rewind/execute-rewind.ts";
import {
  isEntryStep,
  plannedPaths,
  planRewind,
  type RewindConflict,
  type SkippedPath,
} from "./rewind/plan-rewind.ts";
import { type FoundPath, inspectPath } from "./rewind/workspace.ts";
import { hashContent } from "./store/blob-folder.ts";
import {
  pruneStore,
  type Recovery,
  recoverSession,
  type StorePlace,
  withRewindLock,
} from "./store/maintain-store.ts";
import { type OpenSession, readState } from "./store/open-store-session.ts";
import type { StoreRecord } from "./store/store-record.ts";
import type { NodeView } from "./store/store-view.ts";

/** A node that can be undone. */
export interface CheckpointNode {
  readonly id: string;
  /** When it began, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The files that were changed in it, absolute. */
  readonly paths: readonly string[];
  /** Commands ran in it, and what they changed can be undone. */
  readonly hasCommands: boolean;
}

/** What a rewind did, path by path. Each path is in one list, but a forced conflict is in two. */
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
  /** Also restore files that someone else changed since. Their current content is lost. */
  readonly force?: boolean;
  /** Stops reading the workspace, which is how a rewind of interrupted commands begins. */
  readonly signal?: AbortSignal;
}

/** The result of keeping the workspace before commands change it. */
export interface KeptWorkspace {
  readonly id: string;
  /** What a rewind will not restore, and why. Ignored files and repositories are not listed. */
  readonly unkept: readonly { readonly path: string; readonly reason: string }[];
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
  /** Rewinds that were interrupted earlier, and how recovery ended. */
  readonly recoveries: readonly Recovery[];
  readonly #setup: StoreSetup;
  /** One change at a time, in order. */
  readonly #queue = new KeyedQueue();
  readonly #reader: FolderReader;
  #current: string | undefined;

  constructor(setup: StoreSetup) {
    this.#setup = setup;
    this.recoveries = setup.recoveries;
    this.#reader = new FolderReader(setup.place, setup.opened.blobs);
    this.#current = setup.opened.log.view.nodes.at(-1)?.id;
  }

  /** The id of the session, to open it again. */
  get session(): string {
    return this.#setup.opened.session;
  }

  /** The nodes that can be undone, oldest first. */
  get nodes(): readonly CheckpointNode[] {
    return this.#setup.opened.log.view.nodes.map(({ id, at, before, after, hasCommands }) => {
      const isFolderOnly = (path: string, mark: PathMark): boolean =>
        isFolderMark(mark) || (mark === "absent" && isFolderMark(after.get(path) ?? "absent"));
      const paths = [...before].flatMap(([path, mark]) => (isFolderOnly(path, mark) ? [] : [path]));
      return { id, at, paths, hasCommands };
    });
  }

  /**
   * Begins a node, by default with a new id; later records belong to it. Beginning the last node again is allowed. Drops old
   * nodes if the store is over its limits.
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
      const now = isFileMark(mark)
        ? await this.#setup.place.disk.look(absPath).catch(() => undefined)
        : undefined;
      const owner = now?.isFile === true && { owner: [now.uid, now.gid] as const };
      await log.append([
        { op: "before", node, path: absPath, mark: isFileMark(mark) ? { ...mark, ...owner } : mark },
      ]);
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
   * Keeps the whole workspace, because changes by commands are not reported. Rejects with the reason if that is impossible: a
   * folder is not in a git work tree, there are too many files, the disk is full, or the signal aborted.
   */
  beginCommands({ signal }: { readonly signal: AbortSignal }): Promise<KeptWorkspace> {
    return this.#inTurn(async () => {
      const { opened } = this.#setup;
      const { log, blobs } = opened;
      const node = await this.#begin(this.#current ?? mintUlid());
      const begun = log.view.node(node)?.open;
      if (begun) return { id: begun.state, unkept: [] };
      const known = await this.#known();
      // Noted before any content is written, so the next process removes what a killed one leaves.
      if (!log.view.mayHaveRest) await log.append([{ op: "keeping" }]);
      const state = await this.#reader.read({ signal, known, keep: true }).catch(async (thrown: unknown) => {
        await opened.sweep().catch(() => {});
        throw thrown;
      });
      await this.#findChanges(log.view.nodes, state, "cut off");
      const { hash } = await blobs.keep(Buffer.from(formatState(state)));
      const bytes = [...contentsOf(state).values()].reduce((sum, size) => sum + size, 0);
      await log.append([{ op: "folder", node, state: hash, bytes }]);
      opened.current = state;
      return { id: hash, unkept: unkeptIn(state) };
    });
  }

  /** Finds what the commands of the current node changed, for a rewind to undo. Rejects if the workspace cannot be read. */
  endCommands({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    return this.#inTurn(async () => {
      const { opened } = this.#setup;
      const node = opened.log.view.node(this.#current ?? "");
      if (!node?.open) return;
      const state = await this.#reader.read({ signal, known: await this.#known(), keep: false });
      await this.#findChanges([node], state, "ended");
      opened.current = state;
      await opened.sweep().catch(() => {}); // Unneeded contents do no harm.
    });
  }

  /**
   * Goes back to the state before a node: undoes this node and all later ones of the session. All or nothing: unless `force`
   * is set, nothing changes if a file differs from what we last wrote.
   */
  rewind(node: string, options: RewindOptions = {}): Promise<RewindReport> {
    const { place, opened } = this.#setup;
    return this.#inTurn(() =>
      withRewindLock(place, async () => {
        await recoverSession(place, opened);
        return this.#rewindLocked(node, options);
      }),
    );
  }

  /** Forgets every node. A session without nodes is removed when it is closed. */
  dropAll(): Promise<void> {
    return this.#inTurn(async () => {
      const { log } = this.#setup.opened;
      await log.append(log.view.nodes.map(({ id }) => ({ op: "drop", node: id })));
      this.#current = undefined;
    });
  }

  /** Waits for pending operations and releases the session. */
  close(): Promise<void> {
    return this.#inTurn(() => this.#setup.opened.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #rewindLocked(node: string, { force = false, signal }: RewindOptions): Promise<RewindReport> {
    const { place, opened } = this.#setup;
    const { log, blobs } = opened;
    if (!log.view.node(node))
      throw new CheckpointError(
        "unknown_node",
        place.folder,
        `has no node "${node}" in session ${opened.session}`,
      );
    const open = log.view.nodesFrom(node).filter((each) => each.open);
    if (open.length > 0) {
      const reading = {
        signal: signal ?? new AbortController().signal,
        known: await this.#known(),
        keep: false,
      };
      await this.#findChanges(open, await this.#reader.read(reading), "unclear");
    }
    const nodes = log.view.nodesFrom(node);
    const found = new Map<string, FoundPath>();
    for (const path of plannedPaths(nodes, place.roots)) found.set(path, await inspectPath(place, path));
    const { steps, ...plan } = planRewind(nodes, found, { roots: place.roots, force });
    if (plan.conflicts.length > 0 && !force) return { done: false, restored: [], removed: [], ...plan };
    await executeRewind({ ...place, blobs }, { log, node, planned: steps });
    if (!log.view.node(this.#current ?? "")) this.#current = undefined;
    await opened.sweep().catch(() => {}); // Unneeded contents do no harm.
    const files = steps.filter(isEntryStep);
    const restored = new Set(files.flatMap(({ path, to }) => (to === "absent" ? [] : [path])));
    const removed = files.flatMap(({ path }) => (restored.has(path) ? [] : [path]));
    return { done: true, restored: [...restored], removed, ...plan };
  }

  /** What was kept last, by this process or by the interrupted one before it. */
  async #known(): Promise<FolderState | undefined> {
    const { current, log, blobs } = this.#setup.opened;
    if (current) return current;
    const open = log.view.nodes.findLast((node) => node.open)?.open;
    return open && readState(blobs, open.state);
  }

  /**
   * Records what changed since the commands of these nodes began. `ended`: the commands did it. `cut off`: they or someone
   * else did. `unclear`: like `cut off`, and more may follow.
   */
  async #findChanges(
    nodes: readonly NodeView[],
    now: FolderState,
    how: "ended" | "cut off" | "unclear",
  ): Promise<void> {
    const { log, blobs } = this.#setup.opened;
    const { folder } = this.#setup.place;
    for (const { id, open } of nodes) {
      if (!open) continue;
      const before = await readState(blobs, open.state);
      if (!before && how === "cut off") continue; // Later commands can still be tracked.
      if (!before)
        throw new CheckpointError(
          "corrupt",
          folder,
          `has lost the state before the commands of node "${id}"`,
        );
      const found = changesBetween(before, now).map((change): StoreRecord => {
        const { path, before: mark, after, loss } = change;
        const known = how === "ended" ? { after } : {};
        return { op: "found", node: id, path, mark, ...known, ...(loss && { loss }) };
      });
      if (how !== "unclear") found.push({ op: "settled", node: id });
      if (found.length > 0) await log.append(found);
    }
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

  /** Never fails: exceeding the limits is better than refusing a write. */
  async #prune(): Promise<void> {
    const { place, opened, clock, maxBytes, maxAgeMs } = this.#setup;
    const limits = { oldestAt: clock.nowMs() - maxAgeMs, maxBytes, current: this.#current };
    await pruneStore(place, opened, limits).catch(() => {});
  }

  async #inTurn<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await this.#queue.run("store", step);
    } catch (thrown) {
      if (thrown instanceof FolderError) throw thrown;
      throw checkpointRefusal(this.#setup.place.folder, "used", thrown);
    }
  }
}

const MAX_ID_CHARS = 200;

function unkeptIn(state: FolderState): KeptWorkspace["unkept"] {
  return [...state].flatMap(([path, entry]) =>
    "unkept" in entry && entry.unkept !== "ignored" && entry.unkept !== "repository"
      ? [{ path, reason: entry.unkept }]
      : [],
  );
}

async function markOf(
  state: PreviousState,
  take: (bytes: FileState["bytes"]) => Promise<{ readonly hash: string; readonly size: number }>,
): Promise<PathMark> {
  if (state === undefined) return "absent";
  if (state === "unknown") return state;
  const { bytes, mode } = state;
  return { ...(await take(bytes)), ...(mode === undefined ? {} : { mode }) };
}
