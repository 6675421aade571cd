import type { ProviderHost } from "../../../contract/index.ts";
import type { HttpListener, HttpServeOptions } from "./http-options.ts";

/** Serves a host over Streamable HTTP, both eras on one URL. Rejects with a `transport` fault when it cannot listen. */
export async function serveHttp(host: ProviderHost, options: HttpServeOptions): Promise<HttpListener> {
  // Loaded on first use: whoever serves on stdio alone needs none of it, and the web's classes take node 20 ms.
  const { openListener } = await import("./open-listener.ts");
  return openListener(host, options);
}
