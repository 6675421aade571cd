export type Utf16Encoding = "utf-16le" | "utf-16be";

/**
 * Detects UTF-16 by its byte order mark. Text without one is common on Windows; it is detected if most bytes of one
 * parity are zero and the others are those of western text.
 */
export function utf16Encoding(bytes: Uint8Array): Utf16Encoding | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return bytes[2] === 0 && bytes[3] === 0 ? undefined : "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes.length < 8) return undefined;
  if (isWesternText(bytes, 0)) return "utf-16le";
  return isWesternText(bytes, 1) ? "utf-16be" : undefined;
}

/** Whether the bytes of one parity are printable, and those of the other mostly zero. */
function isWesternText(bytes: Uint8Array, parity: 0 | 1): boolean {
  let zeros = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (at % 2 === parity) {
      if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13) return false;
    } else if (byte === 0) zeros++;
  }
  return zeros > (bytes.length / 2) * 0.7;
}
