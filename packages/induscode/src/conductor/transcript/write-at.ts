import { writeSync } from "node:fs";

/** Writes all bytes at a position and returns their number, or throws. */
export function writeAt(file: number, bytes: Uint8Array, position: number): number {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done);
  return done;
}
