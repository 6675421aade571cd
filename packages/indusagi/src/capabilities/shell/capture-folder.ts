import { join } from "node:path";
import { type Fs, FsError, type ToolContext } from "../contract/index.ts";

const DEFAULT_NAME = ".indus-process";

/** The folder for the output of background commands, and of sessions without an `outputPlace`. Inside `cwd`, so `read` may open it. */
export function captureFolder(ctx: Pick<ToolContext, "cwd">, name: string = DEFAULT_NAME): string {
  return join(ctx.cwd, name);
}

/** Creates the folder for captured output, with a `.gitignore` that keeps it out of commits. Returns its path. */
export async function ensureCaptureFolder(
  ctx: Pick<ToolContext, "cwd" | "fs">,
  name: string = DEFAULT_NAME,
): Promise<string> {
  const folder = captureFolder(ctx, name);
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
