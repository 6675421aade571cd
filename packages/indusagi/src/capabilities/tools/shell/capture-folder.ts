import { join } from "node:path";
import { type Fs, FsError, type ToolContext } from "../../contract/index.ts";

/** Where output is kept that is too long, or too lasting, for an answer: inside the session's folder, so that `read` reaches it. */
export function captureFolder(ctx: Pick<ToolContext, "cwd">): string {
  return join(ctx.cwd, ".indus-process");
}

/** Makes the folder, and sees to it that nothing in it is ever committed. */
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

/** Removes files of a session that has ended. What cannot be removed stays. */
export async function removeCaptures(fs: Fs, paths: Iterable<string>): Promise<void> {
  await Promise.allSettled([...paths].map((path) => fs.rm(path, { ignoreMissing: true })));
}
