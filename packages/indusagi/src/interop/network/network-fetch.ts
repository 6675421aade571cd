import type { LookupFunction } from "node:net";
import type { Dispatcher } from "undici";
import type { Environment } from "../../core/index.ts";
import { hasProxy, type ProxySettings, proxySettings } from "../../core/internal.ts";
import { ProxyError, proxyFailure } from "./proxy-error.ts";
import { namesAuthorities, trustedCertificates } from "./trusted-certificates.ts";

export interface NetworkFetchOptions {
  /** Default: the environment of this process. */
  readonly env?: Environment;
  /** Called with a problem that does not prevent requests. */
  readonly note: (message: string) => void;
}

/**
 * A `fetch` that uses the proxies and the certificate file of the environment; that of Node 20 ignores them. The global one
 * is used where they make no difference, so that most programs do not load another HTTP client.
 */
export function networkFetch({ env = process.env, note }: NetworkFetchOptions): typeof fetch {
  const proxies = proxySettings(env);
  const hasAuthorities = namesAuthorities(env);
  if (!hasProxy(proxies) && !hasAuthorities) return fetch;
  let isNoted = false;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const isSecure = url.protocol === "https:";
    if (isSecure ? !hasProxy(proxies) && !hasAuthorities : !proxies.httpProxy) return fetch(input, init);
    const { send, problem } = await networkOf(env, proxies);
    if (problem !== undefined && !isNoted) note(problem);
    isNoted = true;
    try {
      return await send(input, init);
    } catch (thrown) {
      throw proxyFailure(thrown, url, proxies) ?? thrown;
    }
  };
}

/** A `fetch` with connections of its own: sockets to servers use the given `lookup`; that to a proxy may have any address. */
export async function guardedNetworkFetch(env: Environment, lookup: LookupFunction): Promise<typeof fetch> {
  return (await openNetwork(env, proxySettings(env), lookup)).send;
}

interface Network {
  readonly send: typeof fetch;
  readonly problem: string | undefined;
}

/** Connections are shared by all servers, as those of the global `fetch` are. */
const networks = new Map<string, Promise<Network>>();

function networkOf(env: Environment, proxies: ProxySettings): Promise<Network> {
  const key = JSON.stringify([proxies, env["SSL_CERT_FILE"], env["NODE_EXTRA_CA_CERTS"]]);
  const known = networks.get(key);
  if (known) return known;
  const opening = openNetwork(env, proxies);
  networks.set(key, opening);
  return opening;
}

async function openNetwork(
  env: Environment,
  proxies: ProxySettings,
  lookup?: LookupFunction,
): Promise<Network> {
  const { EnvHttpProxyAgent, fetch: undiciFetch } = await import("undici");
  const { secureContext, problem } = await trustedCertificates(env);
  const tls = secureContext && { secureContext };
  let dispatcher: Dispatcher;
  try {
    dispatcher = new EnvHttpProxyAgent({
      ...proxies,
      // Plain http is sent as a proxied request, as other clients do: many proxies tunnel to port 443 only.
      proxyTunnel: false,
      ...(lookup || tls ? { connect: { ...tls, ...(lookup ? { lookup } : {}) } } : {}),
      ...(tls && { requestTls: tls, proxyTls: tls }),
    });
  } catch {
    // Without the cause: it contains the address, which may contain a password.
    throw new ProxyError("bad_address", "the proxy address in HTTP_PROXY or HTTPS_PROXY is not valid");
  }
  const fetching = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return { send: (input, init) => fetching(input, { ...init, dispatcher }), problem };
}
