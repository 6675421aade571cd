const NEWLINE = 0x0a;

/** How much of an oversized frame is looked at for the id of the call it would have answered. */
const SNIFF_BYTES = 4096;

export interface FrameReaderOptions {
  /** A longer frame is skipped. */
  readonly maxBytes: number;
  readonly onFrame: (frame: Buffer) => void;
  /** Hears of a skipped frame: its first and last bytes, where an id stands, and how long it was. */
  readonly onOversized: (frame: {
    readonly head: Buffer;
    readonly tail: Buffer;
    readonly bytes: number;
  }) => void;
}

/** From this many pieces on, small ones are packed: what is kept of a slice weighs more than a small slice itself. */
const LOOSE_PIECES = 64;
const SMALL_PIECE_BYTES = 1024;
const PACK_BYTES = 64 * 1024;

/**
 * Splits a byte stream into lines. Every byte is looked at once and copied twice at the most, whatever the size of
 * pieces and lines; a line over the cap is dropped as it passes and costs no memory.
 */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  #pieces: Buffer[] = [];
  #pack: Buffer | undefined;
  #packedBytes = 0;
  #bytes = 0;
  #head: Buffer | undefined;
  #tail: Buffer = Buffer.alloc(0);

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

  /** How long the line is that has not ended yet. */
  get unfinishedBytes(): number {
    return this.#bytes;
  }

  /** How the line begins that has not ended yet. */
  unfinishedHead(): Buffer {
    return this.#head ?? firstBytes(this.#pieces);
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#head) {
      this.#tail = lastBytes([this.#tail, piece]);
      return;
    }
    this.#keep(piece);
    if (this.#bytes <= this.#options.maxBytes) return;
    this.#sealPack();
    this.#head = firstBytes(this.#pieces);
    this.#tail = lastBytes(this.#pieces);
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
    const [only] = this.#pieces;
    const head = this.#head;
    const pieces = this.#pieces;
    const bytes = this.#bytes;
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = undefined;
    if (head) onOversized({ head, tail: this.#tail, bytes });
    else if (only) onFrame(pieces.length === 1 ? only : Buffer.concat(pieces, bytes));
  }
}

/** Only as many pieces as it takes: joining all of an oversized frame would cost its size once more. */
function firstBytes(pieces: readonly Buffer[]): Buffer {
  const taken: Buffer[] = [];
  for (let i = 0, bytes = 0; bytes < SNIFF_BYTES && i < pieces.length; i++) {
    const piece = pieces[i] as Buffer;
    taken.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(taken).subarray(0, SNIFF_BYTES);
}

function lastBytes(pieces: readonly Buffer[]): Buffer {
  const taken: Buffer[] = [];
  for (let i = pieces.length - 1, bytes = 0; bytes < SNIFF_BYTES && i >= 0; i--) {
    const piece = (pieces[i] as Buffer).subarray(-SNIFF_BYTES);
    taken.unshift(piece);
    bytes += piece.length;
  }
  return Buffer.concat(taken).subarray(-SNIFF_BYTES);
}
