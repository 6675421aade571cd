import { join } from "node:path";
import { ensureCaptureFolder, type ToolContext } from "indusagi/capabilities";
import { mintUlid, nowMs } from "indusagi/core";

/** In the session's folder, so that `read` and `grep` may open the logs. */
const LOG_FOLDER = ".indusvx-bg";
const LOG_NAME = /^bg-\d+-[0-9A-HJKMNP-TV-Z]{26}\.log$/;
/** Logs are removed with their session. One that is left and has not changed for this long is of a killed session. */
const LEFTOVER_MS = 7 * 24 * 60 * 60 * 1000;

type FileContext = Pick<ToolContext, "cwd" | "fs">;

/** Creates the folder and returns the path of a new log in it. */
export async function newLogPath(id: string, ctx: FileContext): Promise<string> {
  return join(await ensureCaptureFolder(ctx, LOG_FOLDER), `${id}-${mintUlid()}.log`);
}

/** Removes the logs of killed sessions. Never rejects: a leftover does no harm. */
export async function removeLeftovers({ cwd, fs }: FileContext): Promise<void> {
  const folder = join(cwd, LOG_FOLDER);
  const oldest = nowMs() - LEFTOVER_MS;
  try {
    for (const { name, kind } of await fs.readDir(folder)) {
      if (kind !== "file" || !LOG_NAME.test(name)) continue;
      const path = join(folder, name);
      if ((await fs.stat(path)).modifiedMs < oldest) await fs.rm(path, { ignoreMissing: true });
    }
  } catch {
    // See above.
  }
}
