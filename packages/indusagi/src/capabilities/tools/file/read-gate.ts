import { bytesHash, nowMs } from "../../../core/index.ts";
import type { FsEntryInfo, FsFile, ReadRecord, ToolContext } from "../../contract/index.ts";
import type { CurrentFile } from "./current-file.ts";

/** The gate's answer about a file this session has not read. */
export const NOT_READ_YET = "has not been read in this session; read it first, then change it";

/** The gate's answer about a file that somebody changed after this session read it. */
export const MODIFIED_SINCE_READ = "has been modified since it was read; read it again, then change it";

/** Larger files are told apart by time and size alone. */
const MAX_HASHED_BYTES = 8 * 1024 * 1024;

/** Why an existing file may not be changed now, or nothing when it may. Without a read state there is no gate. */
export function gateRefusal(ctx: ToolContext, current: CurrentFile): string | undefined {
  const { readState } = ctx.framework;
  if (!readState) return undefined;
  const record = readState.get(current.realPath);
  if (!record) return NOT_READ_YET;
  return isUnchanged(record, current) ? undefined : MODIFIED_SINCE_READ;
}

/** By content where the content was hashed: a touched file has not changed, a file rewritten in the same second has. */
function isUnchanged(record: ReadRecord, { info, content }: CurrentFile): boolean {
  if (record.contentHash !== undefined) return record.contentHash === bytesHash(content);
  return record.mtimeMs === info.modifiedMs && record.size === info.size;
}

/** Remembers a file that is being shown. To be called before its content is: whatever changes after this is a change. */
export async function rememberRead(ctx: ToolContext, file: FsFile): Promise<void> {
  const { readState } = ctx.framework;
  if (!readState) return;
  const isHashed = file.info.size <= MAX_HASHED_BYTES;
  readState.set(file.path, record(file.info, isHashed ? await file.read(0, file.info.size) : undefined));
}

/**
 * Remembers a file that was just written. Never fails: the file is written, and if it cannot be looked at now
 * the gate will ask for it to be read again.
 */
export async function rememberWritten(ctx: ToolContext, path: string, content: Uint8Array): Promise<void> {
  const { readState } = ctx.framework;
  if (!readState) return;
  try {
    const info = await ctx.fs.stat(path);
    readState.set(await ctx.fs.resolve(path), record(info, content));
  } catch {
    // See above.
  }
}

function record(info: FsEntryInfo, content: Uint8Array | undefined): ReadRecord {
  const seen = { mtimeMs: info.modifiedMs, size: info.size, readAt: nowMs() };
  return content ? { ...seen, contentHash: bytesHash(content) } : seen;
}
