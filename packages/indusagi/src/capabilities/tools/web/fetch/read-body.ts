import { Readable } from "node:stream";
import { describeError } from "../../../../core/index.ts";
import { WebError } from "../web-error.ts";
import { decompressed, UnknownEncodingError } from "./decompress.ts";

export interface BodyLimits {
  /** Counted after decompression, because a small body can expand to a huge one. */
  readonly maxBytes: number;
  /** The Content-Encoding header, or empty. */
  readonly encoding: string;
  readonly signal: AbortSignal;
}

export interface Body {
  readonly bytes: Uint8Array;
  /** `cap`: there was more than `maxBytes`. `lost`: the connection was lost before the end. */
  readonly cut?: "cap" | "lost";
}

/** Reads a body up to the limit. Ignores the declared length: no memory is reserved for it. */
export async function readBody(source: Readable, limits: BodyLimits): Promise<Body> {
  const { maxBytes, signal } = limits;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const done = (cut?: Body["cut"]): Body => ({ bytes: Buffer.concat(chunks), ...(cut ? { cut } : {}) });
  try {
    const wire = wireLimited(source, maxBytes);
    const decoded = await decompressed(wire.bytes, limits.encoding);
    for await (const chunk of decoded as AsyncIterable<Uint8Array>) {
      if (size + chunk.length > maxBytes) {
        chunks.push(chunk.subarray(0, maxBytes - size));
        return done("cap");
      }
      chunks.push(chunk);
      size += chunk.length;
    }
    return done(wire.isCut() ? "cap" : undefined);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof UnknownEncodingError) throw new WebError("encoding", cause.message, { cause });
    const isLost = source.errored === cause;
    if (isLost && size > 0) return done("lost");
    throw isLost
      ? new WebError("unreachable", "the connection was lost before the body arrived", { cause })
      : new WebError("encoding", `the body is not valid ${limits.encoding}: ${describeError(cause)}`, {
          cause,
        });
  }
}

/**
 * Limits the raw bytes to what a compressed body of `maxBytes` could need at most: endless compressed data that expands
 * to nothing would otherwise never reach the limit.
 */
function wireLimited(source: Readable, maxBytes: number): { readonly bytes: Readable; isCut(): boolean } {
  const maxRaw = maxBytes + maxBytes / 8 + 64 * 1024;
  let isCut = false;
  async function* limited(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      yield chunk;
      size += chunk.length;
      isCut = size > maxRaw;
      if (isCut) return;
    }
  }
  return { bytes: Readable.from(limited(), { objectMode: false }), isCut: () => isCut };
}
