import { realpathSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "indusagi/core";
import { SessionError } from "../../conductor/index.ts";
import {
  CheckpointError,
  type DiskCheckpointStore,
  openCheckpointStore,
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
  if (session !== undefined) {
    try {
      return await openCheckpointStore(folder, { ...place, session });
    } catch (thrown) {
      if (!(thrown instanceof CheckpointError)) throw thrown;
      if (thrown.kind === "locked") throw new SessionError("in_use", thrown.message, { cause: thrown });
      // A session that changed no file leaves no store; nothing is lost then.
      if (thrown.kind !== "not_found")
        report(`earlier changes of files cannot be undone: ${describeError(thrown)}`);
    }
  }
  return openCheckpointStore(folder, place);
}
