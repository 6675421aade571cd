import type { MessageTransport } from "indusagi/interop";
import type { MCPClientOptions } from "indusagi/mcp";

/** The same server without the modern era: the transport refuses the probe. */
export function legacyOnly(options: MCPClientOptions): MCPClientOptions {
  const { transport } = options;
  return transport ? { ...options, transport: () => withoutDiscovery(transport()) } : options;
}

export function withoutDiscovery(inner: MessageTransport): MessageTransport {
  const send = inner.send.bind(inner);
  inner.send = async (message, options) => {
    if (message.method !== "server/discover" || message.id === undefined) return send(message, options);
    const error = { code: -32601, message: "Method not found" };
    queueMicrotask(() => inner.onmessage?.({ jsonrpc: "2.0", id: message.id ?? 0, error }));
  };
  return inner;
}
