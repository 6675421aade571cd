import type { Environment } from "./safe-env.ts";

/** The proxies from the usual variables. An empty string means none. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; the lower-case names win, and an address without a scheme is http,
 * as in curl. Requests to localhost never go through a proxy: it would resolve to the proxy's own machine.
 */
export function proxySettings(env: Environment): ProxySettings {
  const read = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  const exceptions = read("NO_PROXY");
  return {
    httpProxy: withScheme(read("HTTP_PROXY")),
    httpsProxy: withScheme(read("HTTPS_PROXY")),
    noProxy: exceptions === "*" ? exceptions : `${exceptions},localhost,127.0.0.1,[::1]`,
  };
}

export function hasProxy(settings: ProxySettings): boolean {
  return settings.httpProxy !== "" || settings.httpsProxy !== "";
}

function withScheme(address: string): string {
  return address === "" || address.includes("://") ? address : `http://${address}`;
}
