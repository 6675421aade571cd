/**
 * The messages between a gateway and the process that runs a program: a line of JSON, then as many bytes of text as it says. A large
 * text is passed on as bytes, so neither side parses what it does not read.
 */
export interface Frame {
  readonly head: FrameHead;
  readonly text: Uint8Array;
}

/** The line. Its other members depend on the message. */
export interface FrameHead {
  readonly type: string;
  readonly [member: string]: unknown;
}

const NEWLINE = 10;
const MAX_HEAD_BYTES = 64 * 1024;

export function frameBytes(head: FrameHead, text: string | Uint8Array = ""): Buffer {
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, bytes: bytes.byteLength })}\n`), bytes]);
}

/** Collects frames from chunks of bytes. Throws if they are no frames, or too long. */
export class FrameReader {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #length = 0;
  /** How many bytes there must be before it is worth looking at them again. */
  #wanted = 1;
  #head: FrameHead | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#wanted) {
      const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
      this.#chunks = [all];
      if (!this.#head) {
        const end = all.indexOf(NEWLINE);
        if (end > MAX_HEAD_BYTES || (end < 0 && all.length > MAX_HEAD_BYTES))
          throw new Error("the head of a frame is too long");
        if (end < 0) {
          this.#wanted = this.#length + 1;
          return;
        }
        this.#head = this.#headIn(all.subarray(0, end));
        this.#keep(all.subarray(end + 1));
        this.#wanted = this.#head["bytes"] as number;
        continue;
      }
      const head = this.#head;
      const text = all.subarray(0, this.#wanted);
      this.#keep(all.subarray(this.#wanted));
      this.#head = undefined;
      this.#wanted = 1;
      yield { head, text };
    }
  }

  #keep(rest: Buffer): void {
    this.#chunks = [rest];
    this.#length = rest.length;
  }

  #headIn(line: Buffer): FrameHead {
    const head = JSON.parse(line.toString()) as Partial<FrameHead> | null;
    const bytes = head?.["bytes"];
    if (typeof head?.type !== "string" || !Number.isSafeInteger(bytes) || (bytes as number) < 0)
      throw new Error("a line is not the head of a frame");
    if ((bytes as number) > this.#maxBytes) throw new Error("a frame is too long");
    return head as FrameHead;
  }
}
