import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mintUlid, tryFileLock } from "indusagi/core";
import { CheckpointError, openCheckpointStore } from "../../deck/checkpoint/index.ts";
import {
  findSession,
  type KnownSession,
  type ReadTranscript,
  readTranscript,
  SessionError,
} from "../index.ts";
import { isSessionId, sessionsIn } from "../internal.ts";

/** The folder of one session, locked against other processes. */
export interface SessionFolder {
  readonly id: string;
  readonly path: string;
  /** The transcript so far, if the session is continued. */
  readonly earlier?: ReadTranscript;
  release(): Promise<void>;
}

/** Where the state folder of a workspace keeps what its sessions changed. */
export function checkpointsIn(state: string): string {
  return join(state, "checkpoints");
}

/** Creates the folder of a new session, or opens that of `--continue` or `--resume`. Throws if it cannot be used. */
export async function openSessionFolder(
  state: string,
  { resume, continue: isContinued }: { readonly resume?: string; readonly continue: boolean },
): Promise<SessionFolder> {
  const folder = sessionsIn(state);
  if (resume === undefined && !isContinued) {
    const id = mintUlid();
    const path = join(folder, id);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return { id, path, ...(await lockSession(folder, id)) };
  }
  const { id, folder: path } = findSession(folder, resume);
  const lock = await lockSession(folder, id);
  try {
    return { id, path, earlier: readTranscript(path), ...lock };
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
}

/**
 * Removes a session: its transcript, its results, its plans and sub-agents, and what a rewind of its turns would need. Throws if
 * another process uses it.
 */
export async function deleteSession(
  state: { readonly path: string; readonly workspace: string },
  { id, folder }: KnownSession,
): Promise<void> {
  const lock = await lockSession(sessionsIn(state.path), id);
  try {
    for (const session of checkpointSessions(folder)) await deleteCheckpoints(state, session);
    rmSync(folder, { recursive: true, force: true });
  } finally {
    await lock.release();
  }
}

function checkpointSessions(folder: string): readonly string[] {
  try {
    return [...new Set(readTranscript(folder).state.checkpointSessions)].filter(isSessionId);
  } catch (thrown) {
    // Its checkpoints are not known, and are dropped when they are old.
    if (thrown instanceof SessionError && thrown.kind === "damaged") return [];
    throw thrown;
  }
}

async function deleteCheckpoints(
  { path, workspace }: { readonly path: string; readonly workspace: string },
  session: string,
): Promise<void> {
  const folder = checkpointsIn(path);
  try {
    // Opening it first finishes a rewind that was cut off: the workspace would stay half rewound.
    await using store = await openCheckpointStore(folder, { roots: [workspace], session });
    await store.dropAll();
  } catch (thrown) {
    if (!(thrown instanceof CheckpointError)) throw thrown;
    if (thrown.kind === "locked") throw new SessionError("in_use", thrown.message, { cause: thrown });
    // It is damaged, or it was never written.
  }
  for (const name of [session, `${session}.log`])
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** The lock is next to the folder, because the folder may be removed at the end. */
async function lockSession(folder: string, id: string): Promise<Pick<SessionFolder, "release">> {
  const lock = await tryFileLock({ folder, name: id });
  if ("release" in lock) return { release: () => lock.release() };
  const holder = lock.reason === "held" ? `process ${lock.pid}` : "another process";
  throw new SessionError("in_use", `session ${id} is in use by ${holder}; close it first`);
}
