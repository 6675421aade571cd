import { magicFormat } from "../../../core/internal.ts";

export type Utf16Encoding = "utf-16le" | "utf-16be";

/** The kind of content of a file, detected from its first bytes, never from its name. */
export type ContentKind =
  | { readonly kind: "text"; readonly encoding: "utf-8" | Utf16Encoding }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary"; readonly looksLike?: string };

/** How many bytes `detectContent` looks at. */
export const SAMPLE_BYTES = 4096;

export function detectContent(sample: Uint8Array): ContentKind {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, Math.min(sample.byteLength, SAMPLE_BYTES));
  const magic = magicFormat(bytes);
  if (magic && (!magic.isLetters || looksBinary(bytes))) {
    if (magic.image) return { kind: "image", mimeType: magic.image };
    if (magic.name) return { kind: "binary", looksLike: magic.name };
  }
  const utf16 = utf16Encoding(bytes);
  if (utf16) return { kind: "text", encoding: utf16 };
  return looksBinary(bytes) ? { kind: "binary" } : { kind: "text", encoding: "utf-8" };
}

/** A NUL byte, or more control characters than any text has. */
function looksBinary(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true;
  let controls = 0;
  for (const byte of bytes) if (byte < 32 && !TEXT_CONTROLS.has(byte)) controls++;
  return controls > bytes.length * 0.3;
}

/** Tab, line feed, form feed, carriage return, escape. */
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);

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
