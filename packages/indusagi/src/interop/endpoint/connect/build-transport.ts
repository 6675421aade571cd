import type { MessageTransport, RpcMessage, ServerConfig } from "../../contract/index.ts";
import { TEXT_IDS, withIdsAsSent } from "../../wire/index.ts";
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
  readonly note: (message: string) => void;
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
    fetch: errorsWithIdsAsSent(
      boundedFetch(options.fetch, {
        server: config.id,
        maxBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
        onArrival: options.onArrival,
        onOversized: options.onOversized,
      }),
      options.note,
    ),
    // `authorizedFetch` handles refusals.
    ...(auth ? { authProvider: { token: () => auth.token() } } : {}),
  };
  const url = new URL(config.url);
  const transport =
    kind === "sse" ? new SSEClientTransport(url, http) : new StreamableHTTPClientTransport(url, http);
  return transport as unknown as MessageTransport;
}

/** The SDK takes the body of a 400 for the answer only if its id is exactly the one of the request. */
function errorsWithIdsAsSent(fetching: typeof fetch, note: (message: string) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetching(input, init);
    if (response.status !== 400 || init?.method !== "POST") return response;
    const text = await response.text();
    const { status, statusText, headers } = response;
    return new Response(corrected(text, note), { status, statusText, headers });
  };
}

function corrected(text: string, note: (message: string) => void): string {
  try {
    const message = JSON.parse(text) as RpcMessage;
    const answer = withIdsAsSent(message);
    if (answer === message) return text;
    note(TEXT_IDS);
    return JSON.stringify(answer);
  } catch {
    return text; // Not a message.
  }
}
