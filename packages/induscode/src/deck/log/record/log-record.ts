/**
 * One record is one line: `<seq> <bytes of body> <checksum> <body>`, the body a JSON text in UTF-8. The length tells a line
 * that was cut off from one that was damaged; the checksum covers every byte of the line but its own.
 */
export interface RecordHead {
  readonly seq: number;
  readonly bodyBytes: number;
  readonly checksum: string;
  /** Where the body begins, counted from the beginning of the record. */
  readonly bodyStart: number;
  /** The whole line, line feed included. */
  readonly totalBytes: number;
}

/** No body is larger: a reader can hold any record, and a damaged length cannot make it ask for gigabytes. */
export const MAX_BODY_BYTES: number = 4 * 1024 * 1024;

/** No head is longer than this. */
export const MAX_HEAD_BYTES: number = 16 + 1 + 7 + 1 + 8 + 1;

/** Ends every record, and stands nowhere else: JSON writes it as an escape. */
export const LINE_FEED = 0x0a;

const HEAD = /^(\d{1,16}) (\d{1,7}) ([0-9a-f]{8}) /;
const BEGINNING_OF_HEAD = /^\d{0,16}$|^\d{1,16} \d{0,7}$|^\d{1,16} \d{1,7} [0-9a-f]{0,8}$/;

/** A record as the bytes of its line; `undefined` when its body is too large. */
export function formatRecord(seq: number, body: string): Uint8Array | undefined {
  const bodyBytes = Buffer.byteLength(body);
  if (bodyBytes > MAX_BODY_BYTES) return undefined;
  const counts = `${seq} ${bodyBytes} `;
  return Buffer.from(`${counts}${checksumOf(counts, Buffer.from(body))} ${body}\n`);
}

/** The head at the beginning of these bytes, if there is a whole one. */
export function parseHead(bytes: Uint8Array): RecordHead | undefined {
  const match = HEAD.exec(latin1(bytes));
  if (!match) return undefined;
  const [{ length: bodyStart }, seq, bodyBytes, checksum = ""] = match;
  return {
    seq: Number(seq),
    bodyBytes: Number(bodyBytes),
    checksum,
    bodyStart,
    totalBytes: bodyStart + Number(bodyBytes) + 1,
  };
}

/** Whether these bytes are all that is left of a record that was cut off within its head. */
export function isBeginningOfHead(bytes: Uint8Array): boolean {
  return bytes.length < MAX_HEAD_BYTES && BEGINNING_OF_HEAD.test(latin1(bytes));
}

/** The body of a whole line if its bytes are those that were written. */
export function checkedBody(line: Uint8Array, head: RecordHead): string | undefined {
  const body = line.subarray(head.bodyStart, head.totalBytes - 1);
  const counts = latin1(line).slice(0, head.bodyStart - head.checksum.length - 1);
  return checksumOf(counts, body) === head.checksum ? Buffer.from(body).toString("utf8") : undefined;
}

/**
 * CRC-32: certain, not merely likely, to notice a flipped bit or a few damaged neighbouring bytes, and nearly free. It
 * guards against accidents; it is no seal against people.
 */
function checksumOf(counts: string, body: Uint8Array): string {
  const { crc32 } = process.getBuiltinModule("node:zlib");
  return crc32(body, crc32(counts)).toString(16).padStart(8, "0");
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD_BYTES)).toString(
    "latin1",
  );
}
