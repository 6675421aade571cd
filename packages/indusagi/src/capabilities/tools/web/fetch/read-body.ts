import { Readable } from "node:stream";
import { describeError } from "../../../../core/index.ts";
import { WebError } from "../web-error.ts";
import { decompressed, UnknownEncodingError } from "./decompress.ts";

export interface BodyLimits {
  /** Counted after decompression: what a bomb unfolds to, not what it weighs. */
  readonly maxBytes: number;
  /** The Content-Encoding header, or empty. */
  readonly encoding: string;
  readonly signal: AbortSignal;
}

export interface Body {
  readonly bytes: Uint8Array;
  /** `cap`: there was more than `maxBytes`. `lost`: the connection broke and this is what had come. */
  readonly cut?: "cap" | "lost";
}

/** Reads a body up to its limit and then lets go of it. A declared length is not believed, and nothing is held for it. */
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
      ? new WebError("unreachable", "the connection broke before the body came", { cause })
      : new WebError("encoding", `the body is not valid ${limits.encoding}: ${describeError(cause)}`, {
          cause,
        });
  }
}

/**
 * The same bytes, but no more than a compressed body of `maxBytes` could ever need: compressed data that unfolds
 * to nothing, for ever, would otherwise pass the cap.
 */
function wireLimited(source: Readable, maxBytes: number): { readonly bytes: Readable; isCut(): boolean } {
  const most = maxBytes + maxBytes / 8 + 64 * 1024;
  let isCut = false;
  async function* limited(): AsyncGenerator<Uint8Array> {
    let size = 0;
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      yield chunk;
      size += chunk.length;
      isCut = size > most;
      if (isCut) return;
    }
  }
  return { bytes: Readable.from(limited(), { objectMode: false }), isCut: () => isCut };
}
