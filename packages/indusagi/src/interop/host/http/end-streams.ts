import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { onAbort } from "../../../core/index.ts";

const REFUSED = -32000;
/** A comment: headers leave with the first byte, and a stream of news may have none for long. */
const HELLO = Buffer.from(": open\n\n");

/**
 * A stream that ends as soon as its client is gone. Otherwise whoever writes it finds out with the next thing it has
 * to say, and until then the client that comes back for the rest is told that somebody is listening already.
 */
export function endWithClient(
  response: Response,
  request: Request,
  transport: WebStandardStreamableHTTPServerTransport,
  body: unknown,
): Response {
  if (response.headers.get("content-type") !== "text/event-stream") return response;
  if (request.method === "GET") return endNewsWithClient(response, request.signal);
  onAbort(request.signal, () => {
    for (const id of requestIds(body)) transport.closeSSEStream(id);
  });
  return response;
}

/** A stream of news belongs to no request by which it could be ended, so it is read here and passed on. */
function endNewsWithClient(response: Response, signal: AbortSignal): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  const leave = (reason: unknown): Promise<void> => reader.cancel(reason).catch(() => {});
  let stopHearing = (): void => {};
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(HELLO);
      stopHearing = onAbort(signal, (reason) => void leave(reason));
    },
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      stopHearing();
      controller.close();
    },
    cancel: leave,
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

function requestIds(body: unknown): readonly (string | number)[] {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    const { id } = (typeof message === "object" && message !== null ? message : {}) as {
      readonly id?: unknown;
    };
    return typeof id === "string" || typeof id === "number" ? [id] : [];
  });
}

/**
 * A request that was cancelled is owed no answer, but over HTTP its stream would then stay open as long as the
 * session, and a client that lost it would ask for the rest for ever. So it ends with an error, which the client
 * is told to ignore.
 */
export function endCancelled(transport: WebStandardStreamableHTTPServerTransport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    const id = cancelledId(message);
    if (id === undefined) return;
    const error = { code: REFUSED, message: "Request cancelled" };
    // Rejects when the request has been answered already, or never was.
    transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
  };
}

function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
