import { dirname } from "node:path";
import { mintUlid } from "indusagi/core";
import { type LogDisk, type LogFile, readLogBytes, writeLogBytes } from "../log-disk.ts";
import type { TornReading } from "../scan-log.ts";

/** The rest of an incomplete write, and the file it was moved to. */
export interface SetAside {
  readonly path: string;
  readonly bytes: number;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Moves the bytes after the last intact record into a separate file. The copy is flushed before the segment is truncated, so no
 * byte is ever lost.
 */
export async function setAsideTail(
  { disk, path }: { readonly disk: LogDisk; readonly path: string },
  file: LogFile,
  { goodBytes, tornBytes }: TornReading,
): Promise<SetAside | undefined> {
  if (tornBytes === 0) return undefined;
  const folder = dirname(path);
  const aside = `${path}.${mintUlid()}.torn`;
  const copy = await disk.open(aside, "create");
  try {
    for (let done = 0; done < tornBytes; done += CHUNK_BYTES) {
      const piece = await readLogBytes(file, goodBytes + done, Math.min(CHUNK_BYTES, tornBytes - done));
      await writeLogBytes(copy, piece, done);
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
  await disk.syncFolder(folder);
  await file.truncate(goodBytes);
  await file.sync();
  return { path: aside, bytes: tornBytes };
}
