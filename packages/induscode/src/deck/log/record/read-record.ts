import type { ByteWindow } from "../disk/byte-window.ts";
import type { DamageKind } from "../log-damage.ts";
import {
  checkedBody,
  isStartOfHead,
  LINE_FEED,
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  parseHead,
  type RecordHead,
} from "./log-record.ts";

/** What was found at an offset: a record, the start of a record that was cut off, or neither. */
export type FoundRecord =
  | { readonly found: "record"; readonly head: RecordHead; readonly body: string }
  | { readonly found: "cut" }
  | { readonly found: "damage"; readonly kind: DamageKind; readonly message: string };

/**
 * Reads the record at `offset` of content that ends at `end`. A torn write can only cut off the last record; the rest of it
 * has no line feed and is shorter than its head states. Any other defect is damage.
 */
export async function readRecord(window: ByteWindow, offset: number, end: number): Promise<FoundRecord> {
  const left = end - offset;
  const start = await window.at(offset, Math.min(left, MAX_HEAD_BYTES));
  const head = parseHead(start);
  if (!head) {
    return left === start.length && isStartOfHead(start)
      ? { found: "cut" }
      : malformed("no record starts here");
  }
  if (head.bodyBytes > MAX_BODY_BYTES) return malformed(`a record cannot have ${head.bodyBytes} bytes`);
  const line = await window.at(offset, Math.min(left, head.totalBytes));
  if (line.length < head.totalBytes) {
    return line.includes(LINE_FEED)
      ? malformed("the record is shorter than its head states")
      : { found: "cut" };
  }
  if (line.at(-1) !== LINE_FEED) return malformed("the record does not end where its head states");
  const body = checkedBody(line, head);
  if (body !== undefined) return { found: "record", head, body };
  return { found: "damage", kind: "checksum", message: "the checksum does not match" };
}

function malformed(message: string): FoundRecord {
  return { found: "damage", kind: "malformed", message };
}
