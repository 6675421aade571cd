import type { FsFile } from "../../contract/index.ts";
import type { Utf16Encoding } from "./utf16.ts";

const CHUNK_BYTES = 256 * 1024;

export interface Utf8ChunkOptions {
  readonly encoding: "utf-8" | Utf16Encoding;
  readonly signal: AbortSignal;
}

/**
 * Reads a file lazily as chunks of UTF-8, without the byte order mark. A chunk is valid until the next one is asked
 * for: all chunks share one buffer, because the garbage of a long scan would cost up to 64 MB.
 */
export async function* utf8Chunks(
  file: FsFile,
  { encoding, signal }: Utf8ChunkOptions,
): AsyncGenerator<Uint8Array> {
  const decoder = encoding === "utf-8" ? undefined : new TextDecoder(encoding);
  // The first chunk is small, because most reads need no more.
  let buffer = new Uint8Array(CHUNK_BYTES / 4);
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const chunk = await file.read(position, buffer.length, buffer);
    if (chunk.byteLength === 0) break;
    const body = position === 0 ? withoutUtf8Bom(chunk) : chunk;
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : body;
    position += chunk.byteLength;
    if (buffer.length < CHUNK_BYTES) buffer = new Uint8Array(CHUNK_BYTES);
  }
  // An incomplete character at the end becomes a replacement character; it is not dropped.
  if (decoder) yield Buffer.from(decoder.decode());
}

function withoutUtf8Bom(chunk: Uint8Array): Uint8Array {
  return chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;
}
