import type { ProviderHost } from "../../contract/index.ts";
import type { HttpListener, HttpServeOptions } from "./http-options.ts";

/** Serves a host over Streamable HTTP, both eras on one URL. Rejects with a `transport` fault if it cannot listen. */
export async function serveHttp(host: ProviderHost, options: HttpServeOptions): Promise<HttpListener> {
  // Loaded on first use: serving on stdio does not need it, and loading the web classes takes Node 20 ms.
  const { openListener } = await import("./open-listener.ts");
  return openListener(host, options);
}
