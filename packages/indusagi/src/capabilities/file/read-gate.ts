import { bytesHash, nowMs } from "../../core/index.ts";
import type { FsEntryInfo, FsFile, ReadRecord, ToolContext } from "../contract/index.ts";
import type { CurrentFile } from "./current-file.ts";

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
