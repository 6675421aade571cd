/** A process environment, as far as it is looked at. */
export interface Environment {
  readonly [name: string]: string | undefined;
}

/** Which proxies stand between us and the web, as the usual variables say. Empty text means none. */
export interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`; the lower-case names win, as they do in curl.
 * This machine is never reached through a proxy, whose idea of "this machine" is another one.
 */
export function proxySettings(env: Environment): ProxySettings {
  const read = (name: string): string => env[name.toLowerCase()] ?? env[name] ?? "";
  const excepted = read("NO_PROXY").trim();
  return {
    httpProxy: read("HTTP_PROXY"),
    httpsProxy: read("HTTPS_PROXY"),
    noProxy: excepted === "*" ? excepted : `${excepted},localhost,127.0.0.1,[::1]`,
  };
}

/** Whether any request at all may go through a proxy. */
export function hasProxy(settings: ProxySettings): boolean {
  return settings.httpProxy !== "" || settings.httpsProxy !== "";
}
