import type { MessageTransport, ServerConfig } from "../../contract/index.ts";
import type { EndpointOptions } from "../endpoint-options.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import type { OversizedMessage } from "./oversized-messages.ts";

/** The same limit as for messages of a process. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** An HTTP transport. */
export type HttpKind = "sse" | "streamable-http";

/** The HTTP transports to try: the configured kind first, then the other one unless the configuration forbids it. */
export function httpKinds(config: Exclude<ServerConfig, { kind: "stdio" }>): readonly HttpKind[] {
  const other = config.kind === "sse" ? "streamable-http" : "sse";
  return config.onMismatch === "fail" ? [config.kind] : [config.kind, other];
}

export interface BuildOptions extends EndpointOptions {
  readonly fetch: typeof fetch;
  /** Called when something arrives from the server. */
  readonly onArrival: () => void;
  /** Called for a message over the limit in an event stream. */
  readonly onOversized: (message: OversizedMessage) => void;
}

/** A new transport, not started. The SDK is loaded here, so that a program that mounts nothing does not load it. */
export async function buildTransport(
  config: Exclude<ServerConfig, { kind: "stdio" }>,
  kind: HttpKind,
  options: BuildOptions,
): Promise<MessageTransport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { auth } = options;
  const http = {
    requestInit: { headers: { ...config.headers } },
    fetch: boundedFetch(options.fetch, {
      server: config.id,
      maxBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      onArrival: options.onArrival,
      onOversized: options.onOversized,
    }),
    // `authorizedFetch` handles refusals.
    ...(auth ? { authProvider: { token: () => auth.token() } } : {}),
  };
  const url = new URL(config.url);
  const transport =
    kind === "sse" ? new SSEClientTransport(url, http) : new StreamableHTTPClientTransport(url, http);
  return transport as unknown as MessageTransport;
}
