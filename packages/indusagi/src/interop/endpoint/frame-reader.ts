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

/**
 * Splits a byte stream into lines. Every byte is looked at once and copied at most once, whatever the size of pieces
 * and lines; a line over the cap is dropped as it passes and costs no memory.
 */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  #pieces: Buffer[] = [];
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

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#head) {
      this.#tail = Buffer.concat([this.#tail, piece.subarray(-SNIFF_BYTES)]).subarray(-SNIFF_BYTES);
      return;
    }
    this.#pieces.push(piece);
    if (this.#bytes <= this.#options.maxBytes) return;
    const seen = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#head = Buffer.from(seen.subarray(0, SNIFF_BYTES));
    this.#tail = Buffer.from(seen.subarray(-SNIFF_BYTES));
  }

  #endFrame(): void {
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
