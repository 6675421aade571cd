import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { type Clock, mintUlid, systemClock } from "indusagi/core";
import { checkpointRefusal } from "./checkpoint-error.ts";
import { DiskCheckpointStore } from "./disk-checkpoint-store.ts";
import { type CheckpointDisk, localCheckpointDisk } from "./store/checkpoint-disk.ts";
import { pruneStore, recoverOthers, recoverSession, withRewindLock } from "./store/maintain-store.ts";
import { openStoreSession } from "./store/open-store-session.ts";

export interface CheckpointStoreOptions {
  /** The folders of the workspace. A rewind changes files in them only. */
  readonly roots: readonly string[];
  /**
   * Called for each folder in the roots: returns the names in it that are ours, not the user's. These never count as changes
   * by commands.
   */
  readonly ignored?: (folder: string, names: readonly string[]) => readonly string[];
  /** Continue this session. Default: a new one. */
  readonly session?: string;
  /** The maximum size of kept contents in all sessions together. Default 1 GiB. The current node is always kept. */
  readonly maxBytes?: number;
  /** Older nodes are dropped. Default 30 days. */
  readonly maxAgeMs?: number;
  readonly clock?: Clock;
  readonly disk?: CheckpointDisk;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Opens a checkpoint store in a dedicated folder, for one session. Any number of processes can share the store, but only one
 * a session. First finishes or undoes rewinds that killed processes left, then drops nodes over the limits. Rejects with a
 * `CheckpointError`.
 */
export async function openCheckpointStore(
  folder: string,
  options: CheckpointStoreOptions,
): Promise<DiskCheckpointStore> {
  const { disk = localCheckpointDisk, clock = systemClock, session = mintUlid() } = options;
  const { maxBytes = 1024 ** 3, maxAgeMs = 30 * DAY_MS } = options;
  try {
    const roots = await Promise.all(options.roots.map((root) => realpath(root).catch(() => resolve(root))));
    const place = { disk, folder, roots, ignored: options.ignored };
    await disk.makeFolder(folder);
    const created = options.session === undefined ? { createdAt: clock.nowMs() } : {};
    const opened = await openStoreSession({ disk, folder, session }, created);
    try {
      const { pending } = opened.log.view;
      const own = pending && (await withRewindLock(place, () => recoverSession(place, opened)));
      const recoveries = [...(own ? [own] : []), ...(await recoverOthers(place, session))];
      const current = opened.log.view.nodes.at(-1)?.id;
      await pruneStore(place, opened, { oldestAt: clock.nowMs() - maxAgeMs, maxBytes, current }).catch(
        () => {},
      );
      await opened.sweep();
      return new DiskCheckpointStore({ place, opened, clock, maxBytes, maxAgeMs, recoveries });
    } catch (thrown) {
      await opened.close().catch(() => {});
      throw thrown;
    }
  } catch (cause) {
    throw checkpointRefusal(folder, "opened", cause);
  }
}
