import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { anchorDir } from "../files/held-path.ts";
import { nodeDisk } from "../files/node-disk.ts";

/** A file that receives the output of a command, up to a limit. */
export interface CaptureFile {
  readonly path: string;
  /** Resolves when the bytes are written or dropped. Never rejects: a full disk must not stop the command. */
  append(chunk: Uint8Array): Promise<void>;
  /** Closes the file, after a note about dropped bytes if there are any. Never rejects. */
  close(): Promise<void>;
}

const MAX_CAPTURE_BYTES: number = 64 * 1024 * 1024;

/** Opens a file for appending, readable only by its owner. A symbolic link is refused, and so is one as its folder. */
export async function openCaptureFile(
  path: string,
  maxBytes: number = MAX_CAPTURE_BYTES,
): Promise<CaptureFile> {
  const file = await openInFolder(path);
  let written = 0;
  let dropped = 0;
  let failure: string | undefined;
  // Both streams append at any time: writes are queued so they do not interleave.
  let last: Promise<void> = Promise.resolve();

  const write = async (chunk: Uint8Array): Promise<void> => {
    const kept = failure === undefined ? chunk.subarray(0, maxBytes - written) : chunk.subarray(0, 0);
    dropped += chunk.length - kept.length;
    if (kept.length === 0) return;
    failure = await tryAppend(file, kept);
    if (failure === undefined) written += kept.length;
    else dropped += kept.length;
  };

  return {
    path,
    append(chunk) {
      last = last.then(() => write(chunk));
      return last;
    },
    async close() {
      await last;
      if (dropped > 0) {
        const reason = failure ?? `the limit of ${maxBytes} bytes was reached`;
        await tryAppend(
          file,
          Buffer.from(`\n[capture stopped: ${reason}; ${dropped} more bytes were not kept]\n`),
        );
      }
      await file.close().catch(() => {});
    },
  };
}

/** The folder is held: a command that runs could put a link in its place. */
async function openInFolder(path: string): Promise<FileHandle> {
  // Windows has no O_NOFOLLOW: undefined counts as 0.
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const folder = await anchorDir(nodeDisk, dirname(path), { noFollow: true });
  try {
    return await open(folder.child(basename(path)), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  } finally {
    await folder.close();
  }
}

/** `appendFile` continues after a short write, which happens when the disk is nearly full. Returns the error, if any. */
async function tryAppend(file: FileHandle, bytes: Uint8Array): Promise<string | undefined> {
  try {
    await file.appendFile(bytes);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
