import { magicFormat } from "../../../core/internal.ts";

type TextEncoding = "utf-8" | Utf16Encoding | "bytes";

/**
 * A file's text and how to encode it again. `encode(text)` gives exactly the original bytes, so an edit keeps
 * everything that it does not touch.
 */
export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
  /** The file starts with a byte order mark, which is not part of `text`. */
  readonly bom: boolean;
  readonly encode: (text: string) => Uint8Array;
  /** Converts a text from outside to the form it has in `text`. */
  readonly spell: (outside: string) => string;
  /** Converts a piece of `text` to a readable form; the inverse of `spell`. */
  readonly show: (piece: string) => string;
}

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16_BOM: { readonly [encoding in Utf16Encoding]: Buffer } = {
  "utf-16le": Buffer.from([0xff, 0xfe]),
  "utf-16be": Buffer.from([0xfe, 0xff]),
};
const asIs = (text: string): string => text;

/** Decodes a file for editing. Never fails: bytes that are not valid text become one character each. */
export function decodeFileText(content: Uint8Array): DecodedText {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return decodeUtf16(bytes) ?? decodeUtf8(bytes) ?? decodeBytes(bytes);
}

function decodeUtf8(bytes: Buffer): DecodedText | undefined {
  const bom = startsWith(bytes, UTF8_BOM);
  const mark = bom ? UTF8_BOM : NO_MARK;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(mark.length),
    );
    const encode = (next: string): Buffer => Buffer.concat([mark, Buffer.from(next)]);
    return { text, encoding: "utf-8", bom, spell: asIs, show: asIs, encode };
  } catch {
    return undefined;
  }
}

function decodeUtf16(bytes: Buffer): DecodedText | undefined {
  const encoding = utf16Encoding(bytes.subarray(0, SAMPLE_BYTES));
  if (!encoding || bytes.length % 2 !== 0) return undefined;
  const bom = startsWith(bytes, UTF16_BOM[encoding]);
  const mark = bom ? UTF16_BOM[encoding] : NO_MARK;
  // Node only knows little-endian UTF-16; big-endian has the bytes of each pair swapped.
  const ordered = (units: Buffer): Buffer => (encoding === "utf-16be" ? Buffer.from(units).swap16() : units);
  const text = ordered(bytes.subarray(mark.length)).toString("utf16le");
  const encode = (next: string): Buffer => Buffer.concat([mark, ordered(Buffer.from(next, "utf16le"))]);
  return { text, encoding, bom, spell: asIs, show: asIs, encode };
}

/** For bytes that are not valid in a known encoding: each byte is one character; text from outside is UTF-8. */
function decodeBytes(bytes: Buffer): DecodedText {
  return {
    text: bytes.toString("latin1"),
    encoding: "bytes",
    bom: false,
    spell: (outside) => Buffer.from(outside).toString("latin1"),
    show: (piece) => Buffer.from(piece, "latin1").toString(),
    encode: (next) => Buffer.from(next, "latin1"),
  };
}

const NO_MARK = Buffer.alloc(0);

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark);
}

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
function utf16Encoding(bytes: Uint8Array): Utf16Encoding | undefined {
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
