import { ProtocolFault } from "../../contract/index.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

export interface BoundedFetchOptions {
  /** Named in the fault. */
  readonly server: string;
  /** Limit for a decoded body, or for one event of an event stream. */
  readonly maxBytes: number;
  /** Called for each part of a body that is counted. */
  readonly onArrival?: () => void;
}

/**
 * A fetch that limits the size of answers. Counted after decoding, because a small compressed body can hold a
 * gigabyte. An event stream may be endless, so each event is counted on its own.
 */
export function boundedFetch(inner: typeof fetch, options: BoundedFetchOptions): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    if (!response.body || isShort(response, options.maxBytes)) return response;
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") === true;
    return withBody(response, response.body.pipeThrough(limiter(options, isEvents)));
  };
}

/** A fetch that reports the head of each answer. */
export function reportingFetch(inner: typeof fetch, onArrival: () => void): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    onArrival();
    return response;
  };
}

/** The same answer with another body. A new `Response` has no `url`, and code that follows redirects needs it. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  return Object.defineProperties(new Response(body, response), {
    url: { value: response.url },
    redirected: { value: response.redirected },
  });
}

/** A body with a length and without compression needs no counting: fetch reads no more than that length. */
function isShort({ headers }: Response, maxBytes: number): boolean {
  const length = headers.get("content-length");
  return length !== null && !headers.has("content-encoding") && Number(length) <= maxBytes;
}

function limiter(
  { server, maxBytes, onArrival }: BoundedFetchOptions,
  isEvents: boolean,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let last = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onArrival?.();
      const end = isEvents ? endOfLastEvent(chunk, last) : -1;
      bytes = end === -1 ? bytes + chunk.length : chunk.length - end;
      last = chunk.at(-1) ?? last;
      if (bytes > maxBytes) {
        const message = `server "${server}" sent a message of more than ${maxBytes} bytes`;
        controller.error(new ProtocolFault("protocol", message, { server }));
      } else controller.enqueue(chunk);
    },
  });
}

/** Index after the last blank line in a chunk, or -1. `before` is the byte before the chunk. */
function endOfLastEvent(chunk: Uint8Array, before: number): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] !== LINE_FEED && chunk[at] !== CARRIAGE_RETURN) continue;
    const previous = at === 0 ? before : chunk[at - 1];
    const beforeThat = at > 1 ? chunk[at - 2] : before;
    if (chunk[at] === previous) return at + 1; // \n\n and \r\r
    if (previous === CARRIAGE_RETURN && beforeThat === LINE_FEED) return at + 1; // \n\r\n
  }
  return -1;
}
