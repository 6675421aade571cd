import { type FsEntryInfo, FsError, type ToolContext } from "../contract/index.ts";
import { byteSize } from "./byte-size.ts";
import { shownPath } from "./paths/tool-path.ts";

/** A file as it is now: its real path, its metadata and all of its bytes. */
export interface CurrentFile {
  readonly realPath: string;
  readonly info: FsEntryInfo;
  readonly content: Uint8Array;
}

/** Larger files are not rewritten by a tool; a shell command does that better. */
const MAX_REWRITE_BYTES = 128 * 1024 * 1024;

/** Reads a file that is about to be changed. Returns undefined if it does not exist. */
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
  const message = `${shownPath(ctx, path)} has ${byteSize(size)}, more than the ${limit} this tool can rewrite`;
  return new FsError("io", path, `${message}; use a shell command`);
}

/** Writing replaces the file, so its other hard links keep the old content. */
export function hardLinkWarning(current: CurrentFile | undefined): string[] {
  const names = current?.info.links ?? 1;
  return names > 1 ? [`warning: ${names - 1} other hard link(s) still have the old content`] : [];
}
