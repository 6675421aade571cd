import { StringDecoder } from "node:string_decoder";
import { MessageScanner } from "./message-scanner.ts";

const NEWLINE = 0x0a;

/** Bytes of an unfinished frame that are kept to show what it is. */
const HEAD_BYTES = 4096;

/** The bytes of one line, in order. Not joined if it is long: a copy would double the memory that it needs. */
export type Frame = readonly Buffer[];

/** A line over the limit, which was dropped. */
export interface OversizedFrame {
  readonly bytes: number;
  /** The id of the message, if it has one. */
  readonly id: number | string | undefined;
  /** True if the message has a result or an error. */
  readonly isAnswer: boolean;
}

export interface FrameReaderOptions {
  /** Longer frames are skipped. */
  readonly maxBytes: number;
  readonly onFrame: (frame: Frame) => void;
  /** Called at the end of each skipped frame. */
  readonly onOversized: (frame: OversizedFrame) => void;
}

/** After this many pieces, small pieces are copied together: a `Buffer` object is larger than a small slice. */
const LOOSE_PIECES = 64;
const SMALL_PIECE_BYTES = 1024;
const PACK_BYTES = 64 * 1024;
/** A shorter frame is joined. */
const LONG_BYTES = 1024 * 1024;

/**
 * Splits a byte stream into lines. Each byte is scanned once and copied at most twice, for any size of pieces and
 * lines. A line over the limit is dropped while it arrives and uses no memory.
 */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  #pieces: Buffer[] = [];
  #pack: Buffer | undefined;
  #packedBytes = 0;
  #bytes = 0;
  #head: Buffer | undefined;
  /** Reads the current line if it is over the limit. */
  #scanner: MessageScanner | undefined;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, at));
      this.#endFrame();
      start = at + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** Length of the line that has not ended yet. */
  get unfinishedBytes(): number {
    return this.#bytes;
  }

  /** First bytes of the line that has not ended yet. */
  unfinishedHead(): Buffer {
    return this.#head ?? headOf(this.#pieces, HEAD_BYTES);
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#scanner) return this.#scanner.push(piece);
    this.#keep(piece);
    if (this.#bytes <= this.#options.maxBytes) return;
    this.#sealPack();
    this.#head = headOf(this.#pieces, HEAD_BYTES);
    this.#scanner = new MessageScanner();
    for (const kept of this.#pieces) this.#scanner.push(kept);
    this.#pieces = [];
  }

  #keep(piece: Buffer): void {
    if (this.#pieces.length < LOOSE_PIECES || piece.length >= SMALL_PIECE_BYTES) {
      this.#sealPack();
      this.#pieces.push(piece);
      return;
    }
    if (this.#packedBytes + piece.length > PACK_BYTES) this.#sealPack();
    this.#pack ??= Buffer.allocUnsafe(PACK_BYTES);
    this.#packedBytes += piece.copy(this.#pack, this.#packedBytes);
  }

  #sealPack(): void {
    if (this.#pack) this.#pieces.push(this.#pack.subarray(0, this.#packedBytes));
    this.#pack = undefined;
    this.#packedBytes = 0;
  }

  #endFrame(): void {
    this.#sealPack();
    const { onFrame, onOversized } = this.#options;
    const pieces = this.#pieces;
    const bytes = this.#bytes;
    const scanner = this.#scanner;
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#scanner = undefined;
    if (scanner) onOversized({ bytes, id: scanner.id, isAnswer: scanner.isAnswer });
    else if (pieces.length > 1 && bytes < LONG_BYTES) onFrame([Buffer.concat(pieces, bytes)]);
    else if (pieces.length > 0) onFrame(pieces);
  }
}

/** The first bytes of a frame. Joins only the pieces it needs. */
export function headOf(frame: Frame, bytes: number): Buffer {
  const taken: Buffer[] = [];
  for (let i = 0, length = 0; length < bytes && i < frame.length; i++) {
    const piece = (frame[i] as Buffer).subarray(0, bytes - length);
    taken.push(piece);
    length += piece.length;
  }
  return taken.length === 1 ? (taken[0] as Buffer) : Buffer.concat(taken);
}

/** The text of a frame, from the byte at `start`. */
export function textOf(frame: Frame, start = 0): string {
  const [first, ...rest] = frame;
  if (!first) return "";
  if (rest.length === 0) return first.toString("utf8", start);
  const decoder = new StringDecoder("utf8");
  const parts = [decoder.write(first.subarray(start)), ...rest.map((piece) => decoder.write(piece))];
  return parts.join("") + decoder.end();
}
