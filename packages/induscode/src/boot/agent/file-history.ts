import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import { describeError, escapeForDisplay } from "indusagi/core";
import { SessionError } from "../../conductor/index.ts";
import {
  CheckpointError,
  type DiskCheckpointStore,
  openCheckpointStore,
  type Recovery,
} from "../../deck/checkpoint/index.ts";

export interface FileHistoryOptions {
  /** The state folder of the workspace. */
  readonly state: string;
  readonly cwd: string;
  /** The checkpoint session of the session that is continued. */
  readonly session?: string | undefined;
  readonly report: (message: string) => void;
}

/** Opens the checkpoint store of a session: the earlier one if it still exists. */
export async function openFileHistory({
  state,
  cwd,
  session,
  report,
}: FileHistoryOptions): Promise<DiskCheckpointStore> {
  const folder = join(state, "checkpoints");
  const workspace = realpathSync(cwd);
  const { heldNames } = await import("../../sandbox/index.ts");
  const place = { roots: [workspace], ignored: heldNames };
  const withRecoveries = (store: DiskCheckpointStore): DiskCheckpointStore => {
    for (const line of store.recoveries.map((recovery) => describeRecovery(recovery, workspace)))
      if (line !== undefined) report(line);
    return store;
  };
  if (session !== undefined) {
    try {
      return withRecoveries(await openCheckpointStore(folder, { ...place, session }));
    } catch (thrown) {
      if (!(thrown instanceof CheckpointError)) throw thrown;
      if (thrown.kind === "locked") throw new SessionError("in_use", thrown.message, { cause: thrown });
      // A session that changed no file leaves no store; nothing is lost then.
      if (thrown.kind !== "not_found")
        report(`earlier changes of files cannot be undone: ${describeError(thrown)}`);
    }
  }
  return withRecoveries(await openCheckpointStore(folder, place));
}

const MAX_NAMED = 5;

/** What a rewind that was interrupted left undone, in one line. Undefined: nothing. */
function describeRecovery(recovery: Recovery, cwd: string): string | undefined {
  if (recovery.state === "failed")
    return `a rewind that was interrupted cannot be finished now, the next start tries again: ${recovery.message}`;
  const { left } = recovery;
  if (left.length === 0) return undefined;
  const names = left.slice(0, MAX_NAMED).map((path) => escapeForDisplay(relative(cwd, path)));
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  return `a rewind that was interrupted is finished, except for files that were changed since or whose content is lost: ${names.join(", ")}${more}`;
}
