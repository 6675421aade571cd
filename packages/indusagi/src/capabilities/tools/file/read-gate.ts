import { bytesHash, nowMs } from "../../../core/index.ts";
import type { FsEntryInfo, ReadRecord, ToolContext } from "../../contract/index.ts";

/** The gate's answer about a file this session has not read. */
export const NOT_READ_YET = "has not been read in this session; read it first, then change it";

/** The gate's answer about a file that somebody changed after this session read it. */
export const MODIFIED_SINCE_READ = "has been modified since it was read; read it again, then change it";

/** Larger files are told apart by time and size alone. */
const MAX_HASHED_BYTES = 8 * 1024 * 1024;

/** Why an existing file may not be changed now, or nothing when it may. Without a read state there is no gate. */
export function gateRefusal(ctx: ToolContext, path: string, now: FsEntryInfo, content: Uint8Array): string | undefined {
  const { readState } = ctx.framework;
  if (!readState) return undefined;
  const record = readState.get(path);
  if (!record) return NOT_READ_YET;
  return isUnchanged(record, now, content) ? undefined : MODIFIED_SINCE_READ;
}

/** By content where the content was hashed: a touched file has not changed, a file rewritten in the same second has. */
function isUnchanged(record: ReadRecord, now: FsEntryInfo, content: Uint8Array): boolean {
  if (record.contentHash !== undefined) return record.contentHash === bytesHash(content);
  return record.mtimeMs === now.modifiedMs && record.size === now.size;
}

/** Remembers what a file held when it was read or written. `load` is asked for the content only if it can be hashed. */
export async function rememberFile(
  ctx: ToolContext,
  path: string,
  info: FsEntryInfo,
  load: () => Promise<Uint8Array>,
): Promise<void> {
  const { readState } = ctx.framework;
  if (!readState) return;
  const seen = { mtimeMs: info.modifiedMs, size: info.size, readAt: nowMs() };
  readState.set(path, info.size > MAX_HASHED_BYTES ? seen : { ...seen, contentHash: bytesHash(await load()) });
}
