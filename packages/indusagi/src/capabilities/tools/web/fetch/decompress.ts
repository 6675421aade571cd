import type { Transform } from "node:stream";
import { pipeline, Readable } from "node:stream";

/** The server used a content encoding that we did not accept. */
export class UnknownEncodingError extends Error {}

/** Real servers nest at most two, by mistake. */
const MAX_ENCODINGS = 2;

/** Decodes a Content-Encoding as a stream. A body that ends early yields what arrived. */
export async function decompressed(source: Readable, encoding: string): Promise<Readable> {
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
  for (const name of names.toReversed()) stream = await decoded(stream, name);
  return stream;
}

async function decoded(source: Readable, name: string): Promise<Readable> {
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
