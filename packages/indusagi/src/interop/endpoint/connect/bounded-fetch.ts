import type { Transformer } from "node:stream/web";
import { MessageScanner } from "../../wire/index.ts";
import { EventLimiter } from "./event-limiter.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { type OversizedMessage, oversizedFault } from "./oversized-messages.ts";

export interface BoundedFetchOptions {
  /** Named in the fault. */
  readonly server: string;
  /** Limit for a decoded body, or for one event of an event stream. */
  readonly maxBytes: number;
  /** Called for each part of a body that is counted. */
  readonly onArrival?: (() => void) | undefined;
  /** Called for a message over the limit in an event stream. */
  readonly onOversized?: ((message: OversizedMessage) => void) | undefined;
  /** Takes large answers before they are parsed. */
  readonly answers?: LargeAnswers | undefined;
}

/**
 * A fetch that limits the size of responses. Counts decoded bytes, because a small compressed body can hold a gigabyte.
 * An event stream may be endless, so each event is counted separately.
 */
export function boundedFetch(inner: typeof fetch, options: BoundedFetchOptions): typeof fetch {
  const { onOversized = () => {}, answers } = options;
  return async (input, init) => {
    const response = await inner(input, init);
    if (!response.body) return response;
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const requestId = init?.method === "POST" ? () => idOf(init.body) : undefined;
    const keeping = (whole: Response): Response =>
      requestId && !isEvents && answers ? answers.ofBody(whole) : whole;
    if (isShort(response, options.maxBytes)) return keeping(response);
    const limit = isEvents ? new EventLimiter({ ...options, onOversized, requestId }) : limiter(options);
    return keeping(withBody(response, response.body.pipeThrough(counted(limit, options.onArrival))));
  };
}

/** A fetch that reports each response when its headers arrive. */
export function reportingFetch(inner: typeof fetch, onArrival: () => void): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init);
    onArrival();
    return response;
  };
}

function counted(
  limit: Transformer<Uint8Array, Uint8Array>,
  onArrival: (() => void) | undefined,
): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onArrival?.();
      return limit.transform?.(chunk, controller);
    },
    flush: (controller) => limit.flush?.(controller),
  });
}

/** The same response with another body. A new `Response` has no `url`, which code that follows redirects needs. */
export function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  return Object.defineProperties(new Response(body, response), {
    url: { value: response.url },
    redirected: { value: response.redirected },
  });
}

/** An uncompressed body with a length needs no counting: fetch never reads more than that length. */
function isShort({ headers }: Response, maxBytes: number): boolean {
  const length = headers.get("content-length");
  return length !== null && !headers.has("content-encoding") && Number(length) <= maxBytes;
}

function limiter({ server, maxBytes }: BoundedFetchOptions): Transformer<Uint8Array, Uint8Array> {
  let bytes = 0;
  return {
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes > maxBytes) controller.error(oversizedFault(server, maxBytes));
      else controller.enqueue(chunk);
    },
  };
}

/** The id of the request in a body. */
function idOf(body: unknown): number | string | undefined {
  if (typeof body !== "string") return undefined;
  const scanner = new MessageScanner();
  scanner.push(Buffer.from(body));
  return scanner.id;
}
