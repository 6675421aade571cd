import type { JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

/**
 * Delivers the messages of a connected transport as they were read. The SDK delivers copies, in which `params` and
 * `_meta` have no member named `__proto__`. Returns a function that announces the body of a request.
 */
export function deliverAsRead(
  transport: WebStandardStreamableHTTPServerTransport,
): (request: Request, body: unknown) => void {
  /** The messages of each body that are still to be delivered. The SDK keeps their order. */
  const waiting = new WeakMap<Request, unknown[]>();
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    const read = extra?.request && waiting.get(extra.request)?.shift();
    onmessage?.(isSame(read, message) ? read : message, extra);
  };
  return (request, body) => void waiting.set(request, Array.isArray(body) ? [...body] : [body]);
}

/** The SDK has checked `message`; this makes sure that it was made from `read`. */
function isSame(read: unknown, message: JSONRPCMessage): read is JSONRPCMessage {
  if (typeof read !== "object" || read === null) return false;
  const members = ["id", "method"] as const;
  const [a, b] = [read, message] as { readonly [member in "id" | "method"]?: unknown }[];
  return members.every((member) => a?.[member] === b?.[member]);
}
