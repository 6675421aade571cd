import { type FsEntryInfo, FsError, type ToolContext } from "../../contract/index.ts";

/** A file as it is right now: where it really is, what is known about it, and all of its bytes. */
export interface CurrentFile {
  readonly realPath: string;
  readonly info: FsEntryInfo;
  readonly content: Uint8Array;
}

/** Larger files are not rewritten as a whole by a tool; a program run by the shell does that better. */
export const MAX_REWRITE_BYTES: number = 128 * 1024 * 1024;

/** Reads a file to change it, or gives nothing when there is none yet. */
export async function currentFile(ctx: ToolContext, path: string): Promise<CurrentFile | undefined> {
  try {
    const file = await ctx.fs.open(path);
    try {
      const { info } = file;
      if (info.size > MAX_REWRITE_BYTES) {
        throw new FsError("io", path, `too large to be changed here (${info.size} bytes): ${path}`);
      }
      return { realPath: file.path, info, content: await file.read(0, info.size) };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (thrown instanceof FsError && thrown.kind === "not_found") return undefined;
    throw thrown;
  }
}
