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

const HEAD = /^(\d{1,16}) (\d{1,7}) ([0-9a-f]{8}) /;
const START_OF_HEAD = /^\d{0,16}$|^\d{1,16} \d{0,7}$|^\d{1,16} \d{1,7} [0-9a-f]{0,8}$/;

/** A record as the bytes of its line. Undefined if the body is too large. */
export function formatRecord(seq: number, body: string): Uint8Array | undefined {
  const bodyBytes = Buffer.byteLength(body);
  if (bodyBytes > MAX_BODY_BYTES) return undefined;
  const counts = `${seq} ${bodyBytes} `;
  return Buffer.from(`${counts}${checksumOf(counts, Buffer.from(body))} ${body}\n`);
}

/** The head at the start of these bytes, if it is complete. */
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

/** Whether these bytes can be a record that was cut off within its head. */
export function isStartOfHead(bytes: Uint8Array): boolean {
  return bytes.length < MAX_HEAD_BYTES && START_OF_HEAD.test(latin1(bytes));
}

/** The body of a complete line, if the checksum matches. */
export function checkedBody(line: Uint8Array, head: RecordHead): string | undefined {
  const body = line.subarray(head.bodyStart, head.totalBytes - 1);
  const counts = latin1(line).slice(0, head.bodyStart - head.checksum.length - 1);
  return checksumOf(counts, body) === head.checksum ? Buffer.from(body).toString("utf8") : undefined;
}

/**
 * CRC-32: it detects every flipped bit and every few damaged neighbouring bytes, and costs almost nothing. It protects
 * against accidents, not against people.
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
