import { bytesHash, nowMs } from "../../core/index.ts";
import {
  type FsEntryInfo,
  FsError,
  type FsFile,
  type ReadRecord,
  type ToolContext,
} from "../contract/index.ts";
import { byteSize } from "./byte-size.ts";
import { shownPath } from "./paths/tool-path.ts";

/** The refusal for a file that this session has not read. */
export const NOT_READ_YET = "has not been read in this session; read it first, then change it";

/** The refusal for a file that changed after this session read it. */
export const MODIFIED_SINCE_READ = "has been modified since it was read; read it again, then change it";

/** Larger files are compared by time and size only. */
const MAX_HASHED_BYTES = 8 * 1024 * 1024;

/** Why an existing file must not be changed now; undefined if it may be. Without a read state there is no gate. */
export function gateRefusal(ctx: ToolContext, current: CurrentFile): string | undefined {
  const { readState } = ctx.framework;
  if (!readState) return undefined;
  const record = readState.get(current.realPath);
  if (!record) return NOT_READ_YET;
  return isUnchanged(record, current) ? undefined : MODIFIED_SINCE_READ;
}

/** Compares hashes if there is one: a touched file has not changed, a file rewritten within the same second has. */
function isUnchanged(record: ReadRecord, { info, content }: CurrentFile): boolean {
  if (record.contentHash !== undefined) return record.contentHash === bytesHash(content);
  return record.mtimeMs === info.modifiedMs && record.size === info.size;
}

/** Records a file that is about to be shown. Call it before reading the content, so a later change is noticed. */
export async function rememberRead(ctx: ToolContext, file: FsFile): Promise<void> {
  const { readState } = ctx.framework;
  if (!readState) return;
  const isHashed = file.info.size <= MAX_HASHED_BYTES;
  readState.set(file.path, record(file.info, isHashed ? await file.read(0, file.info.size) : undefined));
}

/**
 * Records a file that was just written. Never fails: if the file cannot be inspected now, the gate will ask the model
 * to read it again.
 */
export async function rememberWritten(ctx: ToolContext, path: string, content: Uint8Array): Promise<void> {
  const { readState } = ctx.framework;
  if (!readState) return;
  try {
    const info = await ctx.fs.stat(path);
    readState.set(await ctx.fs.resolve(path), record(info, content));
  } catch {
    // The gate will ask for a read.
  }
}

function record(info: FsEntryInfo, content: Uint8Array | undefined): ReadRecord {
  const seen = { mtimeMs: info.modifiedMs, size: info.size, readAt: nowMs() };
  return content ? { ...seen, contentHash: bytesHash(content) } : seen;
}

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
