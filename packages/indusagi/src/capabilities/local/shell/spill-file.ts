import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { mintUlid } from "../../../core/index.ts";
import { type CaptureFile, openCaptureFile } from "./capture-file.ts";

/** Writes the whole output to a file once it does not fit into memory. */
export interface Spill {
  /** Adds a chunk. If it returns a promise, wait for it before the next chunk. */
  push(chunk: Uint8Array, overflows: boolean): Promise<void> | undefined;
  /** Resolves with the path of the complete file, if there is one. */
  close(): Promise<string | undefined>;
  /** Removes the file, if there is one. Never rejects. */
  discard(): Promise<void>;
}

/** Creates no file until the output overflows; then the file contains all output from the first byte, in order. */
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
        // A copy, because the chunk may be a small part of a large buffer.
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

/** Without a file the command still runs; its result counts the omitted bytes. */
async function openIn(dir: string): Promise<CaptureFile | undefined> {
  try {
    // Not recursive: Node's recursive mkdir never returns in places like /proc.
    await mkdir(dir, { mode: 0o700 }).catch(() => {});
    // A link would redirect the output to another place.
    if (!(await lstat(dir)).isDirectory()) return undefined;
    return await openCaptureFile(join(dir, `output-${mintUlid()}.txt`));
  } catch {
    return undefined;
  }
}
