import { isAscii } from "node:buffer";
import { readFully } from "./full-io.ts";
import type { LogFile } from "./log-disk.ts";

/** Large enough that a segment of a usual size takes few reads: each of them waits for a thread. */
const CHUNK_BYTES = 512 * 1024;

/** Reads a file from start to end in chunks; only the current chunk is kept in memory. */
export class ByteWindow {
  readonly #file: LogFile;
  readonly #size: number;
  #start = 0;
  #bytes: Buffer = Buffer.alloc(0);
  /** The chunk as text, if its characters are its bytes: a part of it then needs no decoding and no copy. */
  #text: string | undefined;

  /** `size`: that of the file, so that a small one takes little memory. */
  constructor(file: LogFile, size: number) {
    this.#file = file;
    this.#size = size;
  }

  /** The bytes in memory. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Where the byte at this offset of the file is in `bytes`, or would be. */
  indexOf(offset: number): number {
    return offset - this.#start;
  }

  /** Reads on until the `length` bytes from `offset` are in memory. False if the file ends before. */
  async load(offset: number, length: number): Promise<boolean> {
    const wanted = Math.max(length, Math.min(CHUNK_BYTES, this.#size - offset));
    const { buffer, byteOffset, byteLength } = await readFully(this.#file, offset, wanted);
    this.#bytes = Buffer.from(buffer, byteOffset, byteLength);
    this.#start = offset;
    this.#text = isAscii(this.#bytes) ? this.#bytes.toString("latin1") : undefined;
    return byteLength >= length;
  }

  /** The `length` bytes from `offset` of the file, which are in memory, as text. */
  text(offset: number, length: number): string {
    const from = offset - this.#start;
    return this.#text?.slice(from, from + length) ?? this.#bytes.toString("utf8", from, from + length);
  }
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
