const NEWLINE = 0x0a;

/** Bytes at each end of an oversized frame that are searched for the id of the call it answers. */
const SNIFF_BYTES = 4096;

export interface FrameReaderOptions {
  /** Longer frames are skipped. */
  readonly maxBytes: number;
  readonly onFrame: (frame: Buffer) => void;
  /** Called for each skipped frame with its length and its first and last bytes, where the id is. */
  readonly onOversized: (frame: {
    readonly head: Buffer;
    readonly tail: Buffer;
    readonly bytes: number;
  }) => void;
}

/** After this many pieces, small pieces are copied together: a `Buffer` object is larger than a small slice. */
const LOOSE_PIECES = 64;
const SMALL_PIECE_BYTES = 1024;
const PACK_BYTES = 64 * 1024;

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

  /** Length of the line that has not ended yet. */
  get unfinishedBytes(): number {
    return this.#bytes;
  }

  /** First bytes of the line that has not ended yet. */
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

/** Joins only the pieces it needs: joining a whole oversized frame would copy it once more. */
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
