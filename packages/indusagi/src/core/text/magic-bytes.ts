/** A file format that is recognised by its first bytes. */
export interface MagicFormat {
  /** The media type of an image. */
  readonly image?: string;
  /** What to call a format that is not an image. */
  readonly name?: string;
  /** The magic consists of letters, so a text about the format may begin the same way. */
  readonly isLetters?: boolean;
}

interface Magic extends MagicFormat {
  /** Each piece with its offset. */
  readonly pieces: readonly (readonly [at: number, bytes: string])[];
}

const MAGIC: readonly Magic[] = [
  { pieces: [[0, "\x89PNG\r\n\x1a\n"]], image: "image/png" },
  { pieces: [[0, "\xff\xd8\xff"]], image: "image/jpeg" },
  { pieces: [[0, "GIF89a"]], image: "image/gif", isLetters: true },
  { pieces: [[0, "GIF87a"]], image: "image/gif", isLetters: true },
  {
    // RIFF is the container of several formats.
    pieces: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
    image: "image/webp",
    isLetters: true,
  },
  { pieces: [[0, "%PDF-"]], name: "a PDF document" },
  { pieces: [[0, "PK\x03\x04"]], name: "a zip archive (or a document made of one)" },
  { pieces: [[0, "\x1f\x8b"]], name: "gzip data" },
  { pieces: [[0, "\x7fELF"]], name: "an ELF program" },
  { pieces: [[0, "SQLite format 3\0"]], name: "an SQLite database" },
  { pieces: [[0, "\xff\xfe\0\0"]], name: "UTF-32 text" },
  { pieces: [[0, "\0\0\xfe\xff"]], name: "UTF-32 text" },
];

const MAGIC_BYTES = 16;

/** The format whose magic the bytes begin with. */
export function magicFormat(bytes: Uint8Array): MagicFormat | undefined {
  const length = Math.min(MAGIC_BYTES, bytes.byteLength);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1");
  return MAGIC.find(({ pieces }) => pieces.every(([at, piece]) => head.startsWith(piece, at)));
}
