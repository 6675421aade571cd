import type { IncomingMessage, ServerResponse } from "node:http";

/** What answers a request in the words of the web platform. */
export type WebFetch = (request: Request) => Promise<Response>;

/**
 * Carries a request whose body has been read to a handler of web requests, and the answer back. When the client goes,
 * the request's signal aborts and the answer's stream is cancelled, so that whoever writes it knows at once.
 *
 * The SDK's own adapter would write the body out again, for a handler that was given it parsed and never looks.
 */
export async function exchange(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stalledMs: number,
  fetch: WebFetch,
): Promise<void> {
  // Told when nothing was read or written for so long. A client that takes nothing of what waits for it is as good as gone.
  outgoing.setTimeout(stalledMs, () => void (outgoing.writableLength > 0 && outgoing.destroy()));
  const client = new AbortController();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const leave = (): void => {
    client.abort();
    reader?.cancel().catch(() => {});
  };
  outgoing.once("close", leave);
  try {
    if (outgoing.destroyed) leave();
    const { status, headers, body } = await fetch(new ReadRequest(incoming, client.signal));
    outgoing.writeHead(status, Object.fromEntries(headers));
    // Headers leave with the first byte, and a stream of news may have none for long.
    if (body && incoming.method === "GET") outgoing.flushHeaders();
    reader = body?.getReader();
    if (client.signal.aborted) leave();
    else if (reader) await pour(reader, outgoing);
    outgoing.end();
  } finally {
    outgoing.off("close", leave);
    // An answer that broke off must not look like one that ended.
    if (outgoing.headersSent && !outgoing.writableEnded) outgoing.destroy();
  }
}

/** Where a request was sent has been checked; nobody asks again. */
const ENDPOINT = "http://localhost/";

/** A request without its body. Its signal is the one given: for the web's class to follow it costs as much as the rest. */
class ReadRequest extends Request {
  override readonly signal: AbortSignal;

  constructor({ method = "GET", headers }: IncomingMessage, signal: AbortSignal) {
    // Node has joined what came more than once, but for a header that no request should have.
    super(ENDPOINT, { method, headers: headers as { [name: string]: string } });
    this.signal = signal;
  }
}

async function pour(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  outgoing: ServerResponse,
): Promise<void> {
  for (let part = await reader.read(); !part.done; part = await reader.read())
    if (!outgoing.write(part.value)) await roomIn(outgoing);
}

/** Waits until what was written has left, or nobody wants it any more. */
function roomIn(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
    if (outgoing.destroyed) done();
  });
}
