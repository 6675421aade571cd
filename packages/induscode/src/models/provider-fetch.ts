import { type Environment, proxySettings } from "indusagi/core";

/**
 * The `fetch` for requests to providers if the environment sets a proxy or certificates, which Node 20's own ignores.
 * Undefined if it sets none; then nothing more is loaded.
 */
export async function providerFetch(
  env: Environment,
  note: (message: string) => void,
): Promise<typeof fetch | undefined> {
  const { httpProxy, httpsProxy } = proxySettings(env);
  if (httpProxy === "" && httpsProxy === "" && !env["SSL_CERT_FILE"]) return undefined;
  const { proxiedFetch } = await import("./proxied-fetch.ts");
  return proxiedFetch(env, note);
}
