/** What a file holds, judged by its first bytes, never by its name. */
export type ContentKind =
  | { readonly kind: "text"; readonly encoding: "utf-8" | "utf-16le" | "utf-16be" }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary"; readonly looksLike?: string };

/** How many bytes a verdict needs. */
export const SAMPLE_BYTES = 4096;

const MAGIC: readonly { readonly at?: number; readonly bytes: string; readonly image?: string; readonly name?: string }[] = [
  { bytes: "89504e470d0a1a0a", image: "image/png" },
  { bytes: "ffd8ff", image: "image/jpeg" },
  { bytes: "474946383961", image: "image/gif" },
  { bytes: "474946383761", image: "image/gif" },
  { bytes: "57454250", at: 8, image: "image/webp" },
  { bytes: "255044462d", name: "a PDF document" },
  { bytes: "504b0304", name: "a zip archive (or a document made of one)" },
  { bytes: "1f8b", name: "gzip data" },
  { bytes: "7f454c46", name: "an ELF program" },
  { bytes: "53514c69746520666f726d6174", name: "an SQLite database" },
];

/** Judges a file by the sample of its first bytes. */
export function detectContent(sample: Uint8Array): ContentKind {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, Math.min(sample.byteLength, SAMPLE_BYTES));
  const magic = MAGIC.find((entry) => hasAt(bytes, Buffer.from(entry.bytes, "hex"), entry.at ?? 0));
  if (magic?.image) return { kind: "image", mimeType: magic.image };
  if (magic?.name) return { kind: "binary", looksLike: magic.name };
  const utf16 = utf16Encoding(bytes);
  if (utf16) return { kind: "text", encoding: utf16 };
  return looksBinary(bytes) ? { kind: "binary" } : { kind: "text", encoding: "utf-8" };
}

function hasAt(bytes: Buffer, magic: Buffer, at: number): boolean {
  return bytes.subarray(at, at + magic.length).equals(magic);
}

/** By byte order mark, or by every second byte being zero, as in western text without a mark. */
function utf16Encoding(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes.length < 8) return undefined;
  const zeros = [0, 0];
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros[i % 2] = (zeros[i % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const half = bytes.length / 2;
  if (even === 0 && odd > half * 0.7) return "utf-16le";
  return odd === 0 && even > half * 0.7 ? "utf-16be" : undefined;
}

/** A NUL byte, or more control characters than any text has. */
function looksBinary(bytes: Buffer): boolean {
  if (bytes.includes(0)) return true;
  let controls = 0;
  for (const byte of bytes) if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) controls++;
  return controls > bytes.length * 0.3;
}
