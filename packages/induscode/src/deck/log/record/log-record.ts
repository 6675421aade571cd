import type * as nodeZlib from "node:zlib";

/**
 * One record is one line: `<seq> <bytes of body> <checksum> <body>`, the body is JSON in UTF-8. The length distinguishes a
 * line that was cut off from a damaged one; the checksum covers every byte of the line except itself.
 */
export interface RecordHead {
  readonly seq: number;
  readonly bodyBytes: number;
  readonly checksum: string;
  /** The offset of the body from the start of the record. */
  readonly bodyStart: number;
  /** The length of the line, including the line feed. */
  readonly totalBytes: number;
}

/** The limit of a body: a reader can hold any record, and a damaged length cannot make it allocate gigabytes. */
export const MAX_BODY_BYTES: number = 4 * 1024 * 1024;

export const MAX_HEAD_BYTES: number = 16 + 1 + 7 + 1 + 8 + 1;

/** Ends every record and occurs nowhere else: JSON escapes it. */
export const LINE_FEED = 0x0a;

const START_OF_HEAD = /^\d{0,16}$|^\d{1,16} \d{0,7}$|^\d{1,16} \d{1,7} [0-9a-f]{0,8}$/;

/** A record as the bytes of its line. Undefined if the body is too large. */
export function formatRecord(seq: number, body: string): Uint8Array | undefined {
  const bodyBytes = Buffer.byteLength(body);
  if (bodyBytes > MAX_BODY_BYTES) return undefined;
  const counts = `${seq} ${bodyBytes} `;
  return Buffer.from(`${counts}${checksumOf(counts, Buffer.from(body))} ${body}\n`);
}

/** The head at the start of these bytes, if it is complete. Byte by byte: a pattern takes as long as parsing a short body. */
export function parseHead(bytes: Uint8Array): RecordHead | undefined {
  const seq = numberAt(bytes, 0, 16);
  const bodyBytes = seq && numberAt(bytes, seq.end + 1, 7);
  if (!seq || !bodyBytes) return undefined;
  const start = bodyBytes.end + 1;
  const bodyStart = start + CHECKSUM_CHARS + 1;
  if (bytes.length < bodyStart || bytes[bodyStart - 1] !== SPACE) return undefined;
  let checksum = "";
  for (let at = start; at < bodyStart - 1; at += 1) {
    const byte = bytes[at] ?? 0;
    if (!isDigit(byte) && !(byte >= 0x61 && byte <= 0x66)) return undefined;
    checksum += String.fromCharCode(byte);
  }
  const { value } = bodyBytes;
  return { seq: seq.value, bodyBytes: value, checksum, bodyStart, totalBytes: bodyStart + value + 1 };
}

const SPACE = 0x20;
const CHECKSUM_CHARS = 8;

/** The digits from `start`, at most `most` of them, with a space after them. */
function numberAt(
  bytes: Uint8Array,
  start: number,
  most: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let end = start;
  for (; end < bytes.length && end - start < most; end += 1) {
    const byte = bytes[end] ?? 0;
    if (!isDigit(byte)) break;
    value = value * 10 + byte - 0x30;
  }
  return end > start && bytes[end] === SPACE ? { value, end } : undefined;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether these bytes can be a record that was cut off within its head. */
export function isStartOfHead(bytes: Uint8Array): boolean {
  return bytes.length < MAX_HEAD_BYTES && START_OF_HEAD.test(latin1(bytes));
}

/** The body of a complete line, if the checksum matches. */
export function checkedBody(line: Uint8Array, head: RecordHead): string | undefined {
  const { bodyStart, bodyBytes, checksum } = head;
  const body = Buffer.from(line.buffer, line.byteOffset + bodyStart, bodyBytes);
  const counts = line.subarray(0, bodyStart - checksum.length - 1);
  return checksumOf(counts, body) === checksum ? body.toString("utf8") : undefined;
}

let zlib: typeof nodeZlib | undefined;

/**
 * CRC-32: it detects every flipped bit and every few damaged neighbouring bytes, and costs almost nothing. It protects
 * against accidents, not against people.
 */
function checksumOf(counts: string | Uint8Array, body: Uint8Array): string {
  zlib ??= process.getBuiltinModule("node:zlib");
  const { crc32 } = zlib;
  return crc32(body, crc32(counts)).toString(16).padStart(8, "0");
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD_BYTES)).toString(
    "latin1",
  );
}
