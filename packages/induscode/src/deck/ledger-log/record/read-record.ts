import type { DamageKind } from "../log-damage.ts";
import {
  checkedBody,
  isStartOfHead,
  LINE_FEED,
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  parseRecordHead,
  type RecordHead,
} from "./log-record.ts";

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
