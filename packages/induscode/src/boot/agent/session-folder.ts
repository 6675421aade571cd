import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { mintUlid, tryFileLock } from "indusagi/core";
import { findSession, type ReadTranscript, readTranscript, SessionError } from "../../conductor/index.ts";
import type { Invocation } from "../../launch/index.ts";

/** The folder of one session, which no other process uses. */
export interface SessionFolder {
  readonly id: string;
  readonly path: string;
  /** What was said before, if the session is continued. */
  readonly earlier?: ReadTranscript;
  release(): Promise<void>;
}

/** Creates the folder of a new session, or opens that of `--continue` or `--resume`. Throws if it cannot be used. */
export async function openSessionFolder(
  state: string,
  { resume, continue: isContinued }: Pick<Invocation, "resume" | "continue">,
): Promise<SessionFolder> {
  const folder = join(state, "sessions");
  if (resume === undefined && !isContinued) {
    const id = mintUlid();
    const path = join(folder, id);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return { id, path, ...(await locked(folder, id)) };
  }
  const { id, folder: path } = findSession(folder, resume);
  const lock = await locked(folder, id);
  try {
    return { id, path, earlier: readTranscript(path), ...lock };
  } catch (thrown) {
    await lock.release();
    throw thrown;
  }
}

/** Beside the folder, which may be removed at the end. */
async function locked(folder: string, id: string): Promise<Pick<SessionFolder, "release">> {
  const lock = await tryFileLock({ folder, name: id });
  if ("release" in lock) return { release: () => lock.release() };
  const holder = lock.reason === "held" ? `process ${lock.pid}` : "another process";
  throw new SessionError(
    "in_use",
    `session ${id} is in use by ${holder}; end it first, or start a new session`,
  );
}
