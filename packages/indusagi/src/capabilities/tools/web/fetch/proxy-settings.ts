/** A process environment. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** The proxies that the usual variables name. Empty text means none. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; the lower-case names win, as in curl.
 * localhost is never requested through a proxy, because there it would be the proxy's own machine.
 */
export function proxySettings(env: Environment): ProxySettings {
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const exceptions = read("NO_PROXY").trim();
  return {
    httpProxy: read("HTTP_PROXY"),
    httpsProxy: read("HTTPS_PROXY"),
    noProxy: exceptions === "*" ? exceptions : `${exceptions},localhost,127.0.0.1,[::1]`,
  };
}

export function hasProxy(settings: ProxySettings): boolean {
  return settings.httpProxy !== "" || settings.httpsProxy !== "";
}
