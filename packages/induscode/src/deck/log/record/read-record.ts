import type { ByteWindow } from "../disk/byte-window.ts";
import type { DamageKind } from "../log-damage.ts";
import {
  checkedBody,
  isBeginningOfHead,
  LINE_FEED,
  MAX_BODY_BYTES,
  MAX_HEAD_BYTES,
  parseHead,
  type RecordHead,
} from "./log-record.ts";

/** What stands at a place in the file: a record, the beginning of one that was cut off, or neither. */
export type FoundRecord =
  | { readonly found: "record"; readonly head: RecordHead; readonly body: string }
  | { readonly found: "cut" }
  | { readonly found: "damage"; readonly kind: DamageKind; readonly message: string };

/**
 * Reads the record at `offset` of content that ends at `end`. Only the last record can be cut off, and what is left of it
 * has no line feed and is shorter than its head says: anything else that is wrong was done to it later.
 */
export async function readRecord(window: ByteWindow, offset: number, end: number): Promise<FoundRecord> {
  const left = end - offset;
  const start = await window.at(offset, Math.min(left, MAX_HEAD_BYTES));
  const head = parseHead(start);
  if (!head) {
    return left === start.length && isBeginningOfHead(start)
      ? { found: "cut" }
      : malformed("no record begins here");
  }
  if (head.bodyBytes > MAX_BODY_BYTES)
    return malformed(`a record of ${head.bodyBytes} bytes is not possible`);
  const line = await window.at(offset, Math.min(left, head.totalBytes));
  if (line.length < head.totalBytes) {
    return line.includes(LINE_FEED) ? malformed("the record is shorter than it says") : { found: "cut" };
  }
  if (line.at(-1) !== LINE_FEED) return malformed("the record does not end where it should");
  const body = checkedBody(line, head);
  if (body !== undefined) return { found: "record", head, body };
  return { found: "damage", kind: "checksum", message: "the bytes are not those that were written" };
}

function malformed(message: string): FoundRecord {
  return { found: "damage", kind: "malformed", message };
}
