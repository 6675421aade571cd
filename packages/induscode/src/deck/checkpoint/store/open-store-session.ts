import { join } from "node:path";
import type { FileLock } from "indusagi/core";
import { isSegmentId, lockSegment } from "../../ledger-log/internal.ts";
import { CheckpointError } from "../checkpoint-error.ts";
import { contentsOf, type FolderState, parseState } from "../folder-state.ts";
import { BlobFolder } from "./blob-folder.ts";
import { removeIfThere } from "./checkpoint-disk.ts";
import {
  createSessionLog,
  reopenSessionLog,
  type SessionLog,
  type SessionPlace,
  sessionLogPath,
} from "./session-log.ts";

/** A session of a store, locked: no other process changes it. */
export interface OpenSession extends AsyncDisposable {
  readonly session: string;
  readonly log: SessionLog;
  readonly blobs: BlobFolder;
  /** The workspace as last read. Its contents stay while the session is open, to compare with and to avoid rewriting. */
  current: FolderState | undefined;
  /** Removes the contents that no node needs. */
  sweep(): Promise<void>;
  /** Waits for pending writes and releases the lock. A session without nodes is removed. */
  close(): Promise<void>;
}

/** Opens a session: a new one if `createdAt` is given, else one that exists. Rejects if a running process has it. */
export async function openStoreSession(
  place: SessionPlace,
  { createdAt }: { readonly createdAt?: number } = {},
): Promise<OpenSession> {
  const { disk, folder, session } = place;
  if (!isSegmentId(session))
    throw new CheckpointError("not_found", folder, `has no session "${session}": an id is a ULID`);
  const lock = await lockSegment(disk, folder, session);
  try {
    await disk.makeFolder(join(folder, session));
    const log = await (createdAt === undefined
      ? reopenSessionLog(place)
      : createSessionLog(place, createdAt));
    return sessionOver(place, log, lock);
  } catch (thrown) {
    if (createdAt !== undefined) await disk.removeFolder(join(folder, session)).catch(() => {});
    await lock.release().catch(() => {});
    throw thrown;
  }
}

function sessionOver(place: SessionPlace, log: SessionLog, lock: FileLock): OpenSession {
  const { disk, folder, session } = place;
  const blobs = new BlobFolder(disk, join(folder, session));
  const sweep = async (): Promise<void> => {
    const kept = log.view.contents();
    for (const hash of contentsOf(opened.current ?? new Map()).keys()) kept.set(hash, 0);
    for (const { open } of log.view.nodes)
      if (open) {
        kept.set(open.state, 0);
        const state = await readState(blobs, open.state);
        if (!state) return; // What it needs is unknown, so remove nothing.
        for (const hash of contentsOf(state).keys()) kept.set(hash, 0);
      }
    await blobs.sweep(kept);
  };
  const end = async (): Promise<void> => {
    try {
      opened.current = undefined;
      const isEmpty = log.view.nodes.length === 0 && !log.view.pending;
      if (log.view.mayHaveRest && !isEmpty) {
        // After a failure, a later start removes the rest.
        await sweep()
          .then(() => log.append([{ op: "swept" }]))
          .catch(() => {});
      }
      await log.close();
      if (!isEmpty) return;
      await sweep();
      await removeIfThere(disk, sessionLogPath(place));
      await disk.removeFolder(join(folder, session));
    } finally {
      await lock.release();
    }
  };
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= end());
  const opened: OpenSession = {
    session,
    log,
    blobs,
    current: undefined,
    sweep,
    close,
    [Symbol.asyncDispose]: close,
  };
  return opened;
}

/** A state that was kept. Undefined if it cannot be read. */
export async function readState(blobs: BlobFolder, hash: string): Promise<FolderState | undefined> {
  try {
    return parseState((await blobs.read(hash)).toString("utf8"));
  } catch {
    return undefined;
  }
}
