import { join } from "node:path";
import { type Fs, FsError, type ToolContext } from "../../contract/index.ts";

/** The folder for output that is too long for an answer. Inside the session's folder, so that `read` may open it. */
export function captureFolder(ctx: Pick<ToolContext, "cwd">): string {
  return join(ctx.cwd, ".indus-process");
}

/** Creates the folder, with a `.gitignore` that keeps it out of commits. */
export async function ensureCaptureFolder(ctx: Pick<ToolContext, "cwd" | "fs">): Promise<string> {
  const folder = captureFolder(ctx);
  await ctx.fs.mkdir(folder, { recursive: true });
  try {
    await ctx.fs.writeFile(join(folder, ".gitignore"), "*\n", { onlyNew: true });
  } catch (thrown) {
    if (!(thrown instanceof FsError) || thrown.kind !== "exists") throw thrown;
  }
  return folder;
}

/** Removes files of a session that has ended. Failures are ignored. */
export async function removeCaptures(fs: Fs, paths: Iterable<string>): Promise<void> {
  await Promise.allSettled([...paths].map((path) => fs.rm(path, { ignoreMissing: true })));
}
