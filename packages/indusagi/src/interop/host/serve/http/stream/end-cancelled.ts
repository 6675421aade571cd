import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { RpcCode } from "../../../../wire/index.ts";

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
    const error = { code: RpcCode.REFUSED, message: "Request cancelled" };
    // Rejects when the request has been answered already, or never was.
    transport.send({ jsonrpc: "2.0", id, error }).catch(() => {});
  };
}

function cancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
