import { LinkCode, LinkError } from "./rpc-message.ts";

/** A longer line would fill memory. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/**
 * The lines of a stream, without empty ones. For a line that is too long, yields an error as soon as that is known, and skips
 * the rest of it.
 */
export async function* readLinkLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<string | LinkError, void> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    for (let from = 0; from <= chunk.length; ) {
      const end = chunk.indexOf(10, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      from += part.length + 1;
      const isNews = size <= maxBytes;
      size += part.length;
      if (size <= maxBytes) parts.push(part);
      else {
        parts = [];
        if (isNews) yield tooLong(maxBytes);
      }
      if (end === -1) break;
      const line = textOf(parts);
      parts = [];
      size = 0;
      if (line !== "") yield line;
    }
  }
  const last = textOf(parts);
  if (last !== "") yield last;
}

function tooLong(maxBytes: number): LinkError {
  return new LinkError(LinkCode.parse, `the line is longer than ${maxBytes} bytes, and was not read`);
}

function textOf(parts: readonly Uint8Array[]): string {
  return Buffer.concat(parts).toString("utf8").trim();
}
