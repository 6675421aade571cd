import type { LogFile } from "./log-disk.ts";

/**
 * Reads `length` bytes from `position`, or fewer at the end of the file, even if the system returns them in small pieces. May
 * use the memory of `reuse`.
 */
export async function readLogBytes(
  file: LogFile,
  position: number,
  length: number,
  reuse?: Uint8Array,
): Promise<Uint8Array> {
  const first = await file.read(position, length, reuse);
  if (first.length === length || first.length === 0) return first;
  const buffer = new Uint8Array(length);
  buffer.set(first);
  let filled = first.length;
  while (filled < length) {
    const piece = await file.read(position + filled, length - filled);
    if (piece.length === 0) break;
    buffer.set(piece, filled);
    filled += piece.length;
  }
  return buffer.subarray(0, filled);
}

/** Writes all bytes at `position`, even if the system takes them in small pieces. */
export async function writeLogBytes(file: LogFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const taken = await file.write(bytes.subarray(written), position + written);
    // Otherwise a disk that takes nothing without an error would be retried forever.
    if (taken === 0) throw Object.assign(new Error("the disk takes no more bytes"), { code: "EIO" });
    written += taken;
  }
}
