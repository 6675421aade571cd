import type * as nodeZlib from "node:zlib";
import type { DamageKind } from "../ledger-log-error.ts";

/**
 * One record is one line: `<seq> <bytes of body> <checksum> <body>`, the body is JSON in UTF-8. The length distinguishes a
 * line that was cut off from a damaged one; the checksum covers every byte of the line except itself.
 */
export interface RecordHead {
  readonly seq: number;
  readonly bodyBytes: number;
  readonly checksum: number;
  /** The offset of the body from the start of the record. */
  readonly bodyStart: number;
  /** The length of the line, including the line feed. */
  readonly totalBytes: number;
}

/** Lets a reader hold any record, and keeps a damaged length from making it allocate gigabytes. */
export const MAX_BODY_BYTES: number = 4 * 1024 * 1024;

const MAX_HEAD_BYTES = 16 + 1 + 7 + 1 + 8 + 1;

/** Ends every record and occurs nowhere else: JSON escapes it. */
const LINE_FEED = 0x0a;

const START_OF_HEAD = /^\d{0,16}$|^\d{1,16} \d{0,7}$|^\d{1,16} \d{1,7} [0-9a-f]{0,8}$/;

/** A record as the bytes of its line. Undefined if the body is too large. */
export function formatLogRecord(seq: number, body: string): Uint8Array | undefined {
  const bodyBytes = Buffer.byteLength(body);
  if (bodyBytes > MAX_BODY_BYTES) return undefined;
  const counts = Buffer.from(`${seq} ${bodyBytes} `);
  const checksum = checksumOf(crcOfCounts(counts, 0, counts.length), body);
  return Buffer.from(`${counts.toString("latin1")}${checksum.toString(16).padStart(8, "0")} ${body}\n`);
}

/** What was found at an offset: a record, the start of a record that was cut off, or neither. */
export type FoundRecord =
  | { readonly found: "record"; readonly head: RecordHead; readonly body: string }
  | { readonly found: "cut" }
  | { readonly found: "damage"; readonly kind: DamageKind; readonly message: string };

/** The record is not completely in memory yet: the number of bytes needed, from its start. */
export interface NeedsMore {
  readonly found: "more";
  readonly bytes: number;
}

/**
 * Reads the record at offset `at`, with `left` bytes of content from there. A torn write can only cut off the last record, which
 * then has no line feed and is shorter than its head states. Any other defect is damage.
 */
export function readLogRecord(bytes: Buffer, at: number, left: number): FoundRecord | NeedsMore {
  const head = parseRecordHead(bytes, at);
  if (!head) return withoutHead(bytes.subarray(at), left);
  if (head.bodyBytes > MAX_BODY_BYTES) return malformed(`a record cannot have ${head.bodyBytes} bytes`);
  const length = Math.min(left, head.totalBytes);
  if (bytes.length - at < length) return { found: "more", bytes: length };
  if (length < head.totalBytes) {
    return bytes.subarray(at, at + length).includes(LINE_FEED)
      ? malformed("the record is shorter than its head states")
      : { found: "cut" };
  }
  if (bytes[at + length - 1] !== LINE_FEED) return malformed("the record does not end where its head states");
  const body = checkedBody(bytes, at, head);
  if (body !== undefined) return { found: "record", head, body };
  return { found: "damage", kind: "checksum", message: "the checksum does not match" };
}

function withoutHead(bytes: Uint8Array, left: number): FoundRecord | NeedsMore {
  const length = Math.min(left, MAX_HEAD_BYTES);
  if (bytes.length < length) return { found: "more", bytes: length };
  return left === length && isStartOfHead(bytes.subarray(0, length))
    ? { found: "cut" }
    : malformed("no record starts here");
}

function malformed(message: string): FoundRecord {
  return { found: "damage", kind: "malformed", message };
}

/** The head of the record at `at`, if complete. Parsed by hand: a regular expression takes as long as parsing a short body. */
function parseRecordHead(bytes: Uint8Array, at: number): RecordHead | undefined {
  const seqEnd = digitsEnd(bytes, at, 16);
  const countsEnd = seqEnd < 0 ? -1 : digitsEnd(bytes, seqEnd + 1, 7);
  if (countsEnd < 0) return undefined;
  const checksumEnd = countsEnd + 1 + CHECKSUM_CHARS;
  if (bytes.length <= checksumEnd || bytes[checksumEnd] !== SPACE) return undefined;
  const checksum = hexBetween(bytes, countsEnd + 1, checksumEnd);
  if (checksum < 0) return undefined;
  const bodyBytes = decimalBetween(bytes, seqEnd + 1, countsEnd);
  const bodyStart = checksumEnd + 1 - at;
  const seq = decimalBetween(bytes, at, seqEnd);
  return { seq, bodyBytes, checksum, bodyStart, totalBytes: bodyStart + bodyBytes + 1 };
}

const SPACE = 0x20;
const CHECKSUM_CHARS = 8;

/** Where a number of at most `most` digits, followed by a space, ends. -1 if there is none. */
function digitsEnd(bytes: Uint8Array, start: number, most: number): number {
  const limit = Math.min(bytes.length, start + most);
  let end = start;
  while (end < limit && isDigit(bytes[end] as number)) end += 1;
  return end > start && bytes[end] === SPACE ? end : -1;
}

function decimalBetween(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (bytes[at] as number) - 0x30;
  return value;
}

/** -1 unless all of it is lower-case hexadecimal. */
function hexBetween(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    const digit = isDigit(byte) ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether these bytes may be a record cut off within its head. */
function isStartOfHead(bytes: Uint8Array): boolean {
  return bytes.length < MAX_HEAD_BYTES && START_OF_HEAD.test(latin1(bytes));
}

/** The body of the complete record at `at`, if the checksum matches. */
function checkedBody(
  bytes: Buffer,
  at: number,
  { bodyStart, bodyBytes, checksum }: RecordHead,
): string | undefined {
  const start = at + bodyStart;
  const end = start + bodyBytes;
  const counts = crcOfCounts(bytes, at, start - CHECKSUM_CHARS - 1);
  if (checksumOf(counts, bytes.subarray(start, end)) !== checksum) return undefined;
  return bytes.toString("utf8", start, end);
}

let zlib: typeof nodeZlib | undefined;

/**
 * CRC-32 detects any single bit flip and short bursts of damage at almost no cost. It protects against accidents, not against
 * tampering. `counts`: the CRC of the counts before the body.
 */
function checksumOf(counts: number, body: string | Uint8Array): number {
  zlib ??= process.getBuiltinModule("node:zlib");
  return zlib.crc32(body, counts);
}

/** The CRC-32 of the few bytes before the checksum. A call into zlib takes longer than the work itself. */
function crcOfCounts(bytes: Uint8Array, start: number, end: number): number {
  let crc = ~0;
  for (let at = start; at < end; at += 1)
    crc = (CRC_OF_BYTE[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The polynomial of CRC-32, with the lowest bit first. */
const POLYNOMIAL = 0xedb88320;

const CRC_OF_BYTE: Int32Array = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  return crc;
});

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD_BYTES)).toString(
    "latin1",
  );
}
