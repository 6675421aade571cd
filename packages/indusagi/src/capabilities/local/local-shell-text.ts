import type { EndsBuffer } from "./local-shell-ends.ts";

/** What is kept of a stream, as text. */
export interface KeptText {
  readonly text: string;
  /** How many bytes are not in it. */
  readonly omittedBytes: number;
}

/** Decodes both ends as UTF-8, each cut back to whole characters, with a line between them that says what is missing. */
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

/** Where the last character ends that is there in full. Bytes that are no UTF-8 anyway are left alone. */
export function wholeCharactersEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Where the first character starts that is there in full. */
export function wholeCharactersStart(bytes: Uint8Array): number {
  const limit = Math.min(3, bytes.length);
  for (let at = 0; at < limit; at += 1) {
    if (!isContinuation(bytes[at] ?? 0)) return at;
  }
  return isContinuation(bytes[limit] ?? 0) ? 0 : limit;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}
