import { pipeline, Readable, type Transform } from "node:stream";
import { describeError } from "../../../core/index.ts";
import { WebError } from "../web-error.ts";

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

/** The server used a content encoding that we did not accept. */
class UnknownEncodingError extends Error {}

/** Real servers nest at most two, by mistake. */
const MAX_ENCODINGS = 2;

/** Decodes a Content-Encoding as a stream. A body that ends early yields what arrived. */
async function decompressed(source: Readable, encoding: string): Promise<Readable> {
  const names = encoding
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length === 0) return source;
  if (names.length > MAX_ENCODINGS) {
    throw new UnknownEncodingError(
      `the body is compressed ${names.length} times; at most ${MAX_ENCODINGS} are supported`,
    );
  }
  let stream = source;
  // The header lists encodings in the order they were applied; decode the last one first.
  for (const name of names.toReversed()) stream = await decodedOnce(stream, name);
  return stream;
}

async function decodedOnce(source: Readable, name: string): Promise<Readable> {
  const decoder = await decoderFor(name, source);
  // The reader of the decoder gets the errors of both sides; the callback need not report them.
  pipeline(decoder.from, decoder.transform, () => undefined);
  return decoder.transform;
}

interface Decoder {
  readonly from: Readable;
  readonly transform: Transform;
}

async function decoderFor(name: string, source: Readable): Promise<Decoder> {
  const zlib = await import("node:zlib");
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  switch (name) {
    case "gzip":
    case "x-gzip":
      return { from: source, transform: zlib.createGunzip({ finishFlush: Z_SYNC_FLUSH }) };
    case "br":
      return {
        from: source,
        transform: zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }),
      };
    case "deflate": {
      // "deflate" means zlib, but some servers send the raw stream; the first byte shows which.
      const { first, all } = await peek(source);
      const isWrapped = first === undefined || (first & 0x0f) === 8;
      const options = { finishFlush: Z_SYNC_FLUSH };
      return {
        from: all,
        transform: isWrapped ? zlib.createInflate(options) : zlib.createInflateRaw(options),
      };
    }
    default:
      throw new UnknownEncodingError(
        `the body is encoded as ${JSON.stringify(name.slice(0, 40))}, which we did not accept`,
      );
  }
}

async function peek(
  source: Readable,
): Promise<{ readonly first: number | undefined; readonly all: Readable }> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const head = await chunks.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    if (head.done === true) return;
    yield head.value;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  return {
    first: head.done === true ? undefined : head.value[0],
    all: Readable.from(all(), { objectMode: false }),
  };
}
