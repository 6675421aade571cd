/** Every supported Node has such blocks; the types of ES2023 do not. */
interface ResizableBuffer extends ArrayBuffer {
  resize(bytes: number): void;
}
const Resizable = ArrayBuffer as unknown as new (
  bytes: number,
  options: { readonly maxByteLength: number },
) => ResizableBuffer;

/** No block can be much larger, and no text can be as long. */
const LARGEST_BYTES = 2 ** 31;
/** Steps of growth: each one is a call of the system. */
const STEP_BYTES = 1024 * 1024;

/**
 * Bytes in one block of memory. It grows without a copy, and its memory is given back at once, not when V8 collects garbage.
 * Only addresses are reserved for the largest size.
 */
export class GrowingBytes {
  readonly #maxBytes: number;
  #block: ResizableBuffer | undefined;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = Math.min(maxBytes, LARGEST_BYTES);
  }

  /** Adds bytes. False if there is no space for them. */
  push(piece: Buffer): boolean {
    const needed = this.#bytes + piece.length;
    if (needed > this.#maxBytes || !this.#makeRoom(needed)) return false;
    piece.copy(Buffer.from(this.#block as ArrayBuffer), this.#bytes);
    this.#bytes = needed;
    return true;
  }

  /** What was added. Valid until the next change. */
  view(): Buffer {
    return this.#block ? Buffer.from(this.#block, 0, this.#bytes) : Buffer.alloc(0);
  }

  /** Forgets everything and gives the memory back. */
  clear(): void {
    if (this.#bytes > 0) this.#block?.resize(0);
    this.#bytes = 0;
  }

  #makeRoom(bytes: number): boolean {
    try {
      this.#block ??= new Resizable(0, { maxByteLength: this.#maxBytes });
      if (this.#block.byteLength < bytes)
        this.#block.resize(Math.min(this.#maxBytes, Math.ceil(bytes / STEP_BYTES) * STEP_BYTES));
      return true;
    } catch {
      return false; // The machine has no memory left for it.
    }
  }
}
