import type { ByteText } from "./search-job.ts";

// One group for each well-formed UTF-8 sequence, else the second group for a byte that belongs to none.
const SEQUENCE =
  /([\x00-\x7f]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})|([^])/g;
const BEYOND_ASCII = /[\x80-\xff]/;

/** The bytes of a text's UTF-8. */
export function toByteText(text: string): ByteText {
  return Buffer.from(text, "utf8").latin1Slice();
}

/** The text that bytes spell in UTF-8; a byte that spells nothing is written out as `\xff`. */
export function readByteText(bytes: ByteText): string {
  if (!BEYOND_ASCII.test(bytes)) return bytes;
  const spelled = bytes.replace(SEQUENCE, (_all, sequence: string | undefined, stray: string) =>
    sequence === undefined ? `\\x${stray.charCodeAt(0).toString(16)}` : sequence,
  );
  return Buffer.from(spelled, "latin1").utf8Slice();
}
