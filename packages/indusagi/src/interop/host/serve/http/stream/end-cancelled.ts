import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { RpcCode } from "../../../../wire/index.ts";

/**
 * Ends the stream of a cancelled request with an error that clients ignore. Without an answer the stream would stay
 * open with the session, and a client that lost it would ask for the rest forever.
 */
export function endCancelled(transport: WebStandardStreamableHTTPServerTransport): void {
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    onmessage?.(message, extra);
    const id = cancelledId(message);
    if (id === undefined) return;
    const error = { code: RpcCode.REFUSED, message: "Request cancelled" };
    // Rejects if the request was answered already or does not exist.
    transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
  };
}

function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
