import type { LogFile } from "./log-disk.ts";

/** Writes all of the bytes at `position`, however few the system takes at a time. */
export async function writeFully(file: LogFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const taken = await file.write(bytes.subarray(written), position + written);
    // A disk that takes nothing and names no reason would be asked for ever.
    if (taken === 0) throw Object.assign(new Error("the disk takes no more bytes"), { code: "EIO" });
    written += taken;
  }
}
