import { type FsEntryInfo, FsError, type ToolContext } from "../../contract/index.ts";
import { byteSize } from "./byte-size.ts";
import { shownPath } from "./paths/tool-path.ts";

/** A file as it is right now: where it really is, what is known about it, and all of its bytes. */
export interface CurrentFile {
  readonly realPath: string;
  readonly info: FsEntryInfo;
  readonly content: Uint8Array;
}

/** Larger files are not rewritten as a whole by a tool; a program run by the shell does that better. */
const MAX_REWRITE_BYTES = 128 * 1024 * 1024;

/** Reads a file to change it, or gives nothing when there is none yet. */
export async function currentFile(ctx: ToolContext, path: string): Promise<CurrentFile | undefined> {
  try {
    const file = await ctx.fs.open(path);
    try {
      const { info } = file;
      if (info.size > MAX_REWRITE_BYTES) throw tooLarge(ctx, path, info.size);
      return { realPath: file.path, info, content: await file.read(0, info.size) };
    } finally {
      await file.close();
    }
  } catch (thrown) {
    if (thrown instanceof FsError && thrown.kind === "not_found") return undefined;
    throw thrown;
  }
}

function tooLarge(ctx: ToolContext, path: string, size: number): FsError {
  const limit = byteSize(MAX_REWRITE_BYTES);
  const message = `${shownPath(ctx, path)} has ${byteSize(size)}, more than the ${limit} that can be rewritten here`;
  return new FsError("io", path, `${message}; use a program for it`);
}

/** A file put in place of another is no longer the file its other names lead to. */
export function hardLinkWarning(current: CurrentFile | undefined): string[] {
  const names = current?.info.links ?? 1;
  return names > 1 ? [`warning: ${names - 1} other hard link(s) still lead to the old content`] : [];
}
