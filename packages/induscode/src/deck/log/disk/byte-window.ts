import type { LogFile } from "./log-disk.ts";

const CHUNK_BYTES = 64 * 1024;

/** A file read front to back, a stretch at a time: what was read past is let go. */
export interface ByteWindow {
  /** The `length` bytes from `offset`; fewer only where the file ends. */
  at(offset: number, length: number): Promise<Uint8Array>;
}

/** A window on a file. */
export function openWindow(file: LogFile): ByteWindow {
  let start = 0;
  let held: Uint8Array = new Uint8Array(0);
  return {
    async at(offset, length) {
      const end = offset + length;
      if (offset < start || end > start + held.length) {
        held = await readFully(file, offset, Math.max(length, CHUNK_BYTES));
        start = offset;
      }
      return held.subarray(offset - start, end - start);
    },
  };
}

/** Where the file's content ends: a power cut may leave zeros behind it, and no record holds one. */
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

/** As many of these bytes as the file has, however few the system gives at a time. */
export async function readFully(file: LogFile, position: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const piece = await file.read(position + filled, length - filled);
    if (piece.length === 0) break;
    buffer.set(piece, filled);
    filled += piece.length;
  }
  return buffer.subarray(0, filled);
}
