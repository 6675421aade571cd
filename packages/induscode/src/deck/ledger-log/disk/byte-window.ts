import { readLogBytes } from "./full-io.ts";
import type { LogFile } from "./log-disk.ts";

/** Large enough that a typical segment takes few reads: each of them waits for a thread. */
const CHUNK_BYTES = 1024 * 1024;
/** Read at once to find the end of the content, which is nearly always the last byte. */
const TAIL_BYTES = 64 * 1024;

/** Reads a file from start to end in chunks; only the current chunk is kept in memory. */
export class ByteWindow {
  readonly #file: LogFile;
  readonly #size: number;
  #start = 0;
  #held: Buffer = Buffer.alloc(0);

  /** `size`: of the file, so a small one takes little memory. */
  constructor(file: LogFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** The bytes in memory. The next `load` may overwrite them. */
  get held(): Buffer {
    return this.#held;
  }

  /** The index in `held` of the byte at this offset of the file. */
  indexOf(offset: number): number {
    return offset - this.#start;
  }

  /** Loads at least `length` bytes from `offset`. False if the file ends before. */
  async load(offset: number, length: number): Promise<boolean> {
    const wanted = Math.max(length, Math.min(CHUNK_BYTES, this.#size - offset));
    const { buffer, byteOffset, byteLength } = await readLogBytes(this.#file, offset, wanted, this.#held);
    this.#held = Buffer.from(buffer, byteOffset, byteLength);
    this.#start = offset;
    return byteLength >= length;
  }
}

/** The offset where the content ends: a power cut may leave zero bytes after it, which no record contains. */
export async function contentEnd(file: LogFile, size: number): Promise<number> {
  let end = size;
  while (end > 0) {
    const from = Math.max(0, end - TAIL_BYTES);
    const bytes = await readLogBytes(file, from, end - from);
    const last = bytes.findLastIndex((byte) => byte !== 0);
    if (last !== -1) return from + last + 1;
    end = from;
  }
  return 0;
}
