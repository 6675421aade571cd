import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { mintUlid } from "../../../core/index.ts";
import { type CaptureFile, openCaptureFile } from "./capture-file.ts";

/** Where the whole output goes once it no longer fits into memory. */
export interface Spill {
  /** Takes a chunk. A promise means: it is on its way to the disk, wait before giving more. */
  push(chunk: Uint8Array, overflows: boolean): Promise<void> | undefined;
  /** Resolves with the file, complete, if there is one. */
  close(): Promise<string | undefined>;
  /** Removes the file, if there is one: nobody will ever be told of it. Never rejects. */
  discard(): Promise<void>;
}

/** Makes no file until something overflows; then the file has everything from the first byte on, in order of arrival. */
export function createSpill(dir: string): Spill {
  let waiting: Uint8Array[] | undefined = [];
  let file: Promise<CaptureFile | undefined> | undefined;

  const start = async (soFar: readonly Uint8Array[]): Promise<CaptureFile | undefined> => {
    const opened = await openIn(dir);
    for (const chunk of soFar) await opened?.append(chunk);
    return opened;
  };

  const close = async (): Promise<string | undefined> => {
    const opened = await file;
    await opened?.close();
    return opened?.path;
  };

  return {
    push(chunk, overflows) {
      if (waiting && !overflows) {
        // A copy: the chunk may be a small part of a large block of memory.
        waiting.push(Uint8Array.from(chunk));
        return undefined;
      }
      file ??= start(waiting ?? []);
      waiting = undefined;
      return file.then((opened) => opened?.append(chunk));
    },
    close,
    async discard() {
      const path = await close();
      if (path !== undefined) await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** No file, no harm: the command goes on and its result says what was omitted. */
async function openIn(dir: string): Promise<CaptureFile | undefined> {
  try {
    // Not recursive: node's own way of making parents never returns in places like /proc.
    await mkdir(dir, { mode: 0o700 }).catch(() => {});
    // A link planted in its place would lead the output elsewhere.
    if (!(await lstat(dir)).isDirectory()) return undefined;
    return await openCaptureFile(join(dir, `output-${mintUlid()}.log`));
  } catch {
    return undefined;
  }
}
