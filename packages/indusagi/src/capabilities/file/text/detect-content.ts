import { magicFormat } from "../../../core/internal.ts";
import { type Utf16Encoding, utf16Encoding } from "./utf16.ts";

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
