import { wholeCharactersEnd, wholeCharactersStart } from "../../../core/internal.ts";

/** Keeps the beginning and the end of a byte stream in bounded memory. */
export interface EndsBuffer {
  push(chunk: Uint8Array): void;
  /** The number of bytes pushed. */
  readonly total: number;
  /** The first bytes. */
  head(): Buffer;
  /** The last bytes; does not overlap the head. */
  tail(): Buffer;
}

/** Keeps the first and the last half of `maxBytes`; all bytes as long as they fit. */
export function createEndsBuffer(maxBytes: number): EndsBuffer {
  const headLimit = Math.ceil(maxBytes / 2);
  const tailLimit = maxBytes - headLimit;
  let head: Buffer = Buffer.alloc(0);
  let headLength = 0;
  // A ring buffer: byte n after the head is at index n modulo its size.
  let ring: Buffer = Buffer.alloc(0);
  let pastHead = 0;

  const pushHead = (chunk: Uint8Array): Uint8Array => {
    const taken = chunk.subarray(0, headLimit - headLength);
    head = grown(head, headLength + taken.length, headLimit);
    head.set(taken, headLength);
    headLength += taken.length;
    return chunk.subarray(taken.length);
  };

  const pushTail = (chunk: Uint8Array): void => {
    ring = grown(ring, Math.min(pastHead + chunk.length, tailLimit), tailLimit);
    // Of a chunk longer than the ring only the last bytes are kept.
    const last = chunk.subarray(Math.max(0, chunk.length - tailLimit));
    let at = tailLimit === 0 ? 0 : (pastHead + chunk.length - last.length) % tailLimit;
    const beforeWrap = last.subarray(0, tailLimit - at);
    ring.set(beforeWrap, at);
    at = 0;
    ring.set(last.subarray(beforeWrap.length), at);
    pastHead += chunk.length;
  };

  return {
    push(chunk) {
      const rest = headLength < headLimit ? pushHead(chunk) : chunk;
      if (rest.length > 0) pushTail(rest);
    },
    get total() {
      return headLength + pastHead;
    },
    head: () => Buffer.from(head.subarray(0, headLength)),
    tail() {
      if (pastHead <= tailLimit) return Buffer.from(ring.subarray(0, pastHead));
      const start = tailLimit === 0 ? 0 : pastHead % tailLimit;
      return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
    },
  };
}

/** The kept output of a stream, as text. */
interface KeptText {
  readonly text: string;
  /** The number of bytes that are not in it. */
  readonly omittedBytes: number;
}

/** Decodes both ends as UTF-8, cut to whole characters, with a line between them that counts the omitted bytes. */
export function keptText(ends: EndsBuffer): KeptText {
  const head = ends.head();
  const tail = ends.tail();
  const dropped = ends.total - head.length - tail.length;
  if (dropped === 0) return { text: Buffer.concat([head, tail]).toString("utf8"), omittedBytes: 0 };

  const cleanHead = head.subarray(0, wholeCharactersEnd(head));
  const cleanTail = tail.subarray(wholeCharactersStart(tail));
  const omittedBytes = ends.total - cleanHead.length - cleanTail.length;
  const text = `${cleanHead.toString("utf8")}\n[... ${omittedBytes} bytes omitted ...]\n${cleanTail.toString("utf8")}`;
  return { text, omittedBytes };
}

/** Grows by doubling: most commands print little. */
function grown(buffer: Buffer, needed: number, limit: number): Buffer {
  if (buffer.length >= needed) return buffer;
  const larger = Buffer.alloc(Math.min(limit, Math.max(needed, buffer.length * 2, 1024)));
  larger.set(buffer);
  return larger;
}
