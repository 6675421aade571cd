import type { ServerTimeouts } from "indusagi/interop";
import { Agent, fetch } from "undici";
import { type OpenEndpoint, opened } from "./evil.ts";

/** Keeps no connection: the next request must not use one that the proxy damaged. */
const dispatcher = new Agent({ pipelining: 0 });

/**
 * An endpoint that was opened over a good network and calls over a bad one. Each call has its own connection through
 * the proxy, so the proxy affects only that call.
 */
export function openedThrough(
  proxy: { readonly port: number },
  server: { readonly port: number },
  timeouts: ServerTimeouts,
): Promise<OpenEndpoint> {
  const fetchThrough = ((input: URL | string, init: { readonly body?: unknown }) => {
    const url = new URL(input);
    const isCall = typeof init.body === "string" && init.body.includes("tools/call");
    url.port = String(isCall ? proxy.port : server.port);
    return fetch(url, { ...(init as object), dispatcher });
  }) as unknown as typeof globalThis.fetch;
  const url = `http://127.0.0.1:${server.port}/mcp`;
  return opened(
    { kind: "streamable-http", id: "h", url, onMismatch: "fail" },
    { fetch: fetchThrough, timeouts },
  );
}
