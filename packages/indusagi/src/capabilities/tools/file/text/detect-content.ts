import { type Utf16Encoding, utf16Encoding } from "./utf16.ts";

/** What a file holds, judged by its first bytes, never by its name. */
export type ContentKind =
  | { readonly kind: "text"; readonly encoding: "utf-8" | Utf16Encoding }
  | { readonly kind: "image"; readonly mimeType: string }
  | { readonly kind: "binary"; readonly looksLike?: string };

/** How many bytes a verdict needs. */
export const SAMPLE_BYTES = 4096;

interface Magic {
  /** Each piece with the place where it must stand. */
  readonly pieces: readonly (readonly [at: number, bytes: string])[];
  readonly image?: string;
  readonly name?: string;
  /** The magic is made of letters, as a text about the format might begin: the rest must not look like text. */
  readonly letters?: boolean;
}

const MAGIC: readonly Magic[] = [
  { pieces: [[0, "\x89PNG\r\n\x1a\n"]], image: "image/png" },
  { pieces: [[0, "\xff\xd8\xff"]], image: "image/jpeg" },
  { pieces: [[0, "GIF89a"]], image: "image/gif", letters: true },
  { pieces: [[0, "GIF87a"]], image: "image/gif", letters: true },
  {
    pieces: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
    image: "image/webp",
    letters: true,
  },
  { pieces: [[0, "%PDF-"]], name: "a PDF document" },
  { pieces: [[0, "PK\x03\x04"]], name: "a zip archive (or a document made of one)" },
  { pieces: [[0, "\x1f\x8b"]], name: "gzip data" },
  { pieces: [[0, "\x7fELF"]], name: "an ELF program" },
  { pieces: [[0, "SQLite format 3\0"]], name: "an SQLite database" },
  { pieces: [[0, "\xff\xfe\0\0"]], name: "UTF-32 text" },
  { pieces: [[0, "\0\0\xfe\xff"]], name: "UTF-32 text" },
];

/** Judges a file by the sample of its first bytes. */
export function detectContent(sample: Uint8Array): ContentKind {
  const bytes = Buffer.from(sample.buffer, sample.byteOffset, Math.min(sample.byteLength, SAMPLE_BYTES));
  const magic = MAGIC.find((entry) => fits(entry, bytes));
  if (magic?.image) return { kind: "image", mimeType: magic.image };
  if (magic?.name) return { kind: "binary", looksLike: magic.name };
  const utf16 = utf16Encoding(bytes);
  if (utf16) return { kind: "text", encoding: utf16 };
  return looksBinary(bytes) ? { kind: "binary" } : { kind: "text", encoding: "utf-8" };
}

function fits({ pieces, letters }: Magic, bytes: Buffer): boolean {
  const stands = pieces.every(
    ([at, piece]) => bytes.subarray(at, at + piece.length).toString("latin1") === piece,
  );
  return stands && (!letters || looksBinary(bytes));
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
