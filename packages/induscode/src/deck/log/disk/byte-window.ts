import { readFully } from "./full-io.ts";
import type { LogFile } from "./log-disk.ts";

/** Large enough that a segment of a usual size takes few reads: each of them waits for a thread. */
const CHUNK_BYTES = 512 * 1024;

/** Reads a file from start to end in chunks; only the current chunk is kept in memory. */
export interface ByteWindow {
  /** The `length` bytes from `offset`, or fewer at the end of the file. */
  at(offset: number, length: number): Promise<Uint8Array>;
  /** The bytes from `offset` that are in memory already. */
  held(offset: number): Uint8Array;
}

/** `size`: that of the file, so that a small one takes little memory. */
export function openWindow(file: LogFile, size: number): ByteWindow {
  let start = 0;
  let held: Uint8Array = new Uint8Array(0);
  return {
    held: (offset) => (offset < start ? new Uint8Array(0) : held.subarray(offset - start)),
    async at(offset, length) {
      const end = offset + length;
      if (offset < start || end > start + held.length) {
        held = await readFully(file, offset, Math.max(length, Math.min(CHUNK_BYTES, size - offset)));
        start = offset;
      }
      return held.subarray(offset - start, end - start);
    },
  };
}

/** The offset where the content ends: a power cut may leave zero bytes after it, and no record contains one. */
export async function contentEnd(file: LogFile, size: number): Promise<number> {
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - CHUNK_BYTES);
    const bytes = await readFully(file, from, end - from);
    const last = bytes.findLastIndex((byte) => byte !== 0);
    if (last !== -1) return from + last + 1;
    end = from;
  }
  return 0;
}
