import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Stores bytes in a new file and returns its path. */
type SaveFile = (bytes: Uint8Array, mimeType?: string) => string;

const ENDINGS: { readonly [mimeType: string]: string } = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "image/bmp": "bmp",
  "image/tiff": "tiff",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "audio/ogg": "ogg",
  "audio/flac": "flac",
  "audio/mp4": "m4a",
  "application/pdf": "pdf",
  "application/zip": "zip",
  "application/json": "json",
  "text/plain": "txt",
  "text/html": "html",
};

/**
 * Stores binary content from servers, readable only by the user. The folder is created with the first file; by default it is
 * a new temporary folder, which is not removed. Never replaces an existing file: uses the next free number.
 */
export function fileSaver(folder?: string): SaveFile {
  let made: string | undefined;
  let number = 0;
  return (bytes, mimeType = "") => {
    made ??= folder === undefined ? mkdtempSync(join(tmpdir(), "indus-files-")) : madeFolder(folder);
    const ending = ENDINGS[mimeType.split(";")[0]?.trim().toLowerCase() ?? ""] ?? "bin";
    for (;;) {
      const path = join(made, `${++number}.${ending}`);
      try {
        writeFileSync(path, bytes, { flag: "wx", mode: 0o600 });
        return path;
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw thrown;
      }
    }
  };
}

function madeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return resolve(folder);
}
