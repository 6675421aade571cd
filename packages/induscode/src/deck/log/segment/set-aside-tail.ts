import { dirname } from "node:path";
import { mintUlid } from "indusagi/core";
import { readFully } from "../disk/byte-window.ts";
import type { LogDisk, LogFile } from "../disk/log-disk.ts";
import { writeFully } from "../disk/write-fully.ts";
import type { TornReading } from "../scan-log.ts";

/** What an unfinished write left behind, and where it is kept now. */
export interface SetAside {
  readonly path: string;
  readonly bytes: number;
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Moves what follows the last intact record into a file of its own, and cuts it off. The copy is safe before the cut: at no
 * moment are the bytes in neither place.
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
      const piece = await readFully(file, goodBytes + done, Math.min(CHUNK_BYTES, tornBytes - done));
      await writeFully(copy, piece, done);
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
