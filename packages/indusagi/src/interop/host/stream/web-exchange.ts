import type { IncomingMessage, ServerResponse } from "node:http";
import { followStalls, roomIn } from "./slow-client.ts";

/** A request handler of the web platform. `abort` aborts the signal of the request. */
export type WebFetch = (request: Request, abort: () => void) => Promise<Response>;

/**
 * Passes a request whose body has been read to a web handler, and sends the answer. When the client disconnects, the
 * request's signal aborts and the answer's stream is cancelled.
 *
 * The SDK's adapter would write the parsed body out again, although the handler never reads it.
 */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stalledMs: number,
  fetch: WebFetch,
): Promise<void> {
  followStalls(outgoing, stalledMs);
  const client = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let isGone = false;
  const leave = (): void => {
    isGone = true;
    client.abort();
    reader?.cancel().catch(() => {});
  };
  outgoing.once("close", leave);
  try {
    if (outgoing.destroyed) leave();
    const { status, headers, body } = await fetch(readRequest(incoming, client.signal), () => client.abort());
    // Node knows whether the connection can be kept alive; the SDK always says so.
    const { connection: _, ...head } = Object.fromEntries(headers);
    outgoing.writeHead(status, head);
    // Headers are sent with the first byte, and a notification stream may be silent for long.
    if (body && incoming.method === "GET") outgoing.flushHeaders();
    reader = body?.getReader();
    if (isGone) leave();
    else if (reader) await pour(reader, outgoing);
    outgoing.end();
  } finally {
    outgoing.off("close", leave);
    // An answer that broke off must not look complete.
    if (outgoing.headersSent && !outgoing.writableEnded) outgoing.destroy();
  }
}

/** The target was checked before; the handler does not use it. */
const ENDPOINT = "http://localhost/";

/**
 * A request without its body. The signal is a plain property: making a `Request` follow another signal costs as much
 * as the rest. No class of our own: to extend `Request` makes Node load all of `fetch` when a host starts.
 */
export function readRequest({ method = "GET", headers }: IncomingMessage, signal: AbortSignal): Request {
  // Node has joined repeated headers, except one that no request should have.
  const request = new Request(ENDPOINT, { method, headers: headers as { [name: string]: string } });
  return Object.defineProperty(request, "signal", { value: signal });
}

async function pour(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  for (let part = await reader.read(); !part.done; part = await reader.read())
    if (!outgoing.write(part.value)) await roomIn(outgoing);
}
