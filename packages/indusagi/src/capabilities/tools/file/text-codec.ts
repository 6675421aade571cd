/** How a file's bytes spell its text. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "bytes";

/**
 * A file's text together with the way back. `encode(text)` gives the very bytes it came from, so that
 * whatever an edit leaves alone stays as it was to the last byte.
 */
export interface DecodedText {
  readonly text: string;
  readonly encoding: TextEncoding;
  /** The file starts with a byte order mark, which is not part of `text`. */
  readonly bom: boolean;
  encode(text: string): Uint8Array;
  /** Words from outside, spelled as they appear in `text`. */
  spell(words: string): string;
}

const UTF8_BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16LE_BOM = Buffer.from([0xff, 0xfe]);
const UTF16BE_BOM = Buffer.from([0xfe, 0xff]);
const asIs = (words: string): string => words;

/** Decodes a file for editing. Total: bytes that are no valid text are treated as bytes, one character each. */
export function decodeText(content: Uint8Array): DecodedText {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return decodeUtf16(bytes) ?? decodeUtf8(bytes) ?? decodeBytes(bytes);
}

function decodeUtf8(bytes: Buffer): DecodedText | undefined {
  const bom = startsWith(bytes, UTF8_BOM);
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bom ? bytes.subarray(3) : bytes);
    return { text, encoding: "utf-8", bom, spell: asIs, encode: (next) => withBom(bom, UTF8_BOM, Buffer.from(next)) };
  } catch {
    return undefined;
  }
}

function decodeUtf16(bytes: Buffer): DecodedText | undefined {
  const little = startsWith(bytes, UTF16LE_BOM);
  if ((!little && !startsWith(bytes, UTF16BE_BOM)) || bytes.length % 2 !== 0) return undefined;
  const body = bytes.subarray(2);
  if (little) {
    const encode = (next: string): Buffer => withBom(true, UTF16LE_BOM, Buffer.from(next, "utf16le"));
    return { text: body.toString("utf16le"), encoding: "utf-16le", bom: true, spell: asIs, encode };
  }
  const encode = (next: string): Buffer => withBom(true, UTF16BE_BOM, Buffer.from(next, "utf16le").swap16());
  return { text: Buffer.from(body).swap16().toString("utf16le"), encoding: "utf-16be", bom: true, spell: asIs, encode };
}

/** Not valid text in any encoding we know: every byte is one character, and words from outside are spelled in UTF-8. */
function decodeBytes(bytes: Buffer): DecodedText {
  return {
    text: bytes.toString("latin1"),
    encoding: "bytes",
    bom: false,
    spell: (words) => Buffer.from(words).toString("latin1"),
    encode: (next) => Buffer.from(next, "latin1"),
  };
}

function withBom(bom: boolean, mark: Buffer, body: Buffer): Buffer {
  return bom ? Buffer.concat([mark, body]) : body;
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.length >= mark.length && bytes.subarray(0, mark.length).equals(mark);
}
