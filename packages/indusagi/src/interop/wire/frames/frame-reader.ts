import type { MessagePort } from "node:worker_threads";
import { MessageScanner } from "./message-scanner.ts";

const NEWLINE = 0x0a;

/** How much of an unfinished frame is kept to show what it is. */
const HEAD_BYTES = 4096;

/** One line. Valid until `onFrame` returns. */
export interface Frame {
  readonly bytes: number;
  /** The first byte. */
  readonly first: number;
  /** The first bytes: 4,096 or more of them, or the whole line. */
  readonly head: Buffer;
  /** The text without a byte order mark. Frees the memory of a long line, so it can be called once. */
  text(): string;
  /** The bytes, for good: instead of `text`, and only once. */
  take(): Buffer;
}

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
  /** True if no other code uses the chunks. Chunks inside a long line are then freed as soon as they are read. */
  readonly ownsChunks?: boolean;
}

/** After this many pieces, small pieces are copied together: a `Buffer` object is larger than a small slice. */
const LOOSE_PIECES = 64;
const SMALL_PIECE_BYTES = 1024;
const PACK_BYTES = 64 * 1024;
/**
 * A longer frame is collected in one block: V8 frees pieces late, and several copies of a long frame use too much memory. Below this,
 * the block costs more time than the pieces cost memory.
 */
const LONG_BYTES = 4 * 1024 * 1024;

/**
 * Splits a byte stream into lines. Each byte is scanned once and copied at most twice, for any size of pieces and
 * lines. A line over the limit, or too long for this machine, is dropped while it arrives and uses no memory.
 */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  #pieces: Buffer[] = [];
  #pack: Buffer | undefined;
  #packedBytes = 0;
  #bytes = 0;
  /** The beginning of the current line, if its pieces are kept elsewhere. */
  #head: Buffer | undefined;
  /** Made by the first long line. */
  #block: GrowingBytes | undefined;
  /** The current line is in the block. */
  #isLong = false;
  /** One object for all lines that are in one chunk. */
  readonly #line = new LineInChunk();
  /** Reads the current line if it is over the limit. */
  #scanner: MessageScanner | undefined;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (start < chunk.length) {
      const at = chunk.indexOf(NEWLINE, start);
      if (at === -1) break;
      if (!this.#isWholeFrame(at - start)) {
        this.#add(chunk.subarray(start, at));
        this.#endFrame();
      } else if (at > start) this.#options.onFrame(this.#line.at(chunk, start, at));
      start = at + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
    const isInsideLongLine = start === 0 && (this.#isLong || this.#scanner);
    if (isInsideLongLine && this.#options.ownsChunks) freeBytes(chunk);
  }

  /** Length of the line that has not ended yet. */
  get unfinishedBytes(): number {
    return this.#bytes;
  }

  /** First bytes of the line that has not ended yet. */
  unfinishedHead(): Buffer {
    return this.#head ?? headOf(this.#pieces, HEAD_BYTES);
  }

  /** Whether the next line is nothing but these bytes of one chunk, as most are. */
  #isWholeFrame(bytes: number): boolean {
    return this.#bytes === 0 && bytes <= LONG_BYTES && bytes <= this.#options.maxBytes;
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#scanner) return this.#scanner.push(piece);
    const { maxBytes } = this.#options;
    if (this.#bytes > maxBytes) return this.#scan(piece);
    if (this.#isLong) return this.#grow([piece]);
    this.#keep(piece);
    if (this.#bytes <= LONG_BYTES) return;
    this.#isLong = true;
    this.#block ??= new GrowingBytes(maxBytes);
    this.#grow(this.#takePieces());
  }

  #grow(pieces: readonly Buffer[]): void {
    for (const [at, piece] of pieces.entries())
      if (!this.#block?.push(piece)) return pieces.slice(at).forEach((rest) => this.#scan(rest));
  }

  /** The line is dropped: from here on only its id matters. */
  #scan(piece: Buffer): void {
    if (this.#scanner) return this.#scanner.push(piece);
    this.#scanner = new MessageScanner();
    if (this.#isLong && this.#block) this.#scanner.push(this.#block.view());
    this.#block?.clear();
    this.#keep(piece);
    for (const kept of this.#takePieces()) this.#scanner.push(kept);
  }

  /** Empties the list of pieces. The beginning of the line is kept. */
  #takePieces(): readonly Buffer[] {
    this.#sealPack();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#head ??= headOf(pieces, HEAD_BYTES);
    return pieces;
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
    const { onFrame, onOversized } = this.#options;
    const bytes = this.#bytes;
    const scanner = this.#scanner;
    const frame = scanner || bytes === 0 ? undefined : this.#frame(bytes);
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#isLong = false;
    this.#scanner = undefined;
    if (scanner) onOversized({ bytes, id: scanner.id, isAnswer: scanner.isAnswer });
    if (!frame) return;
    onFrame(frame);
    this.#block?.clear();
  }

  #frame(bytes: number): Frame {
    const block = this.#block;
    if (this.#isLong && block) {
      const text = (): string => {
        const whole = textOf(block.view());
        block.clear();
        return whole;
      };
      const head = this.#head ?? block.view();
      return { bytes, head, first: head[0] as number, text, take: () => block.take() };
    }
    this.#sealPack();
    const [only] = this.#pieces;
    const head = only && this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces, bytes);
    return { bytes, head, first: head[0] as number, text: () => textOf(head), take: () => head };
  }
}

/** A line that is in one chunk: it is read there, without a buffer for it. */
class LineInChunk implements Frame {
  #chunk: Buffer = Buffer.alloc(0);
  #start = 0;
  #end = 0;

  at(chunk: Buffer, start: number, end: number): this {
    this.#chunk = chunk;
    this.#start = start;
    this.#end = end;
    return this;
  }

  get bytes(): number {
    return this.#end - this.#start;
  }

  get first(): number {
    return this.#chunk[this.#start] as number;
  }

  get head(): Buffer {
    return this.#chunk.subarray(this.#start, this.#end);
  }

  text(): string {
    return textOf(this.#chunk, this.#start, this.#end);
  }

  take(): Buffer {
    return this.head;
  }
}

/** The text of a line without a byte order mark. */
export function textOf(bytes: Buffer, start = 0, end: number = bytes.length): string {
  const hasMark = bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
  return bytes.toString("utf8", hasMark ? start + 3 : start, end);
}

/** The first bytes of several pieces. Joins only the pieces it needs. */
function headOf(pieces: readonly Buffer[], bytes: number): Buffer {
  const taken: Buffer[] = [];
  for (let i = 0, length = 0; length < bytes && i < pieces.length; i++) {
    const piece = (pieces[i] as Buffer).subarray(0, bytes - length);
    taken.push(piece);
    length += piece.length;
  }
  return Buffer.concat(taken);
}

/** No buffer can be much larger, and no string can be this long. */
const LARGEST_BYTES = 2 ** 31;
/** How large a block is at first, and then. V8 counts all of it, and collects the whole heap after 64 MB. */
const RESERVED_BYTES = [8 * 1024 * 1024, 48 * 1024 * 1024];

/**
 * Bytes in one block, which is larger than it has to be: what is not written to is only address space. So most bytes are copied once,
 * which is what a large line costs most: the system has to find memory for each copy.
 */
class GrowingBytes {
  readonly #maxBytes: number;
  #block: Buffer | undefined;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = Math.min(maxBytes, LARGEST_BYTES);
  }

  /** Appends bytes. False if there is no room for them. */
  push(piece: Buffer): boolean {
    const needed = this.#bytes + piece.length;
    const block = needed > this.#maxBytes ? undefined : this.#withRoom(needed);
    if (!block) return false;
    piece.copy(block, this.#bytes);
    this.#bytes = needed;
    return true;
  }

  /** The bytes so far. Valid until the next change. */
  view(): Buffer {
    return this.#block?.subarray(0, this.#bytes) ?? Buffer.alloc(0);
  }

  /** Gives the bytes away. */
  take(): Buffer {
    const bytes = this.view();
    this.#block = undefined;
    this.#bytes = 0;
    return bytes;
  }

  /** Discards everything and releases the memory at once, not at the next garbage collection. */
  clear(): void {
    if (this.#block) freeBytes(this.#block);
    this.#block = undefined;
    this.#bytes = 0;
  }

  #withRoom(bytes: number): Buffer | undefined {
    if (this.#block && bytes <= this.#block.length) return this.#block;
    try {
      const size = RESERVED_BYTES.find((each) => bytes <= each) ?? bytes * 2;
      const block = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, size));
      const before = this.#block;
      before?.copy(block, 0, 0, this.#bytes);
      if (before) freeBytes(before);
      this.#block = block;
      return block;
    } catch {
      return undefined; // Out of memory.
    }
  }
}

/** Discards every message, because its other end is closed. Created by the first call. */
let closedPort: MessagePort | undefined;

/**
 * Releases the memory of a buffer at once, leaving the buffer empty. Garbage collection can come twenty megabytes later,
 * because V8 counts the small object, not the bytes outside its heap. A buffer that is part of a larger block is left alone.
 */
function freeBytes(bytes: Buffer): void {
  if (bytes.byteLength !== bytes.buffer.byteLength) return;
  try {
    // Sending a buffer detaches it here, and the port discards the message with the buffer.
    closedPort ??= makeClosedPort();
    closedPort.postMessage(undefined, [bytes.buffer as ArrayBuffer]);
  } catch {
    // Not transferable, so V8 frees it later.
  }
}

function makeClosedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}
