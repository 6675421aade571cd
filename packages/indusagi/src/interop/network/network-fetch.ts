import type { LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import { CoreError, type Environment, errorCode } from "../../core/index.ts";
import { definedMembers, hasProxy, type ProxySettings, proxySettings } from "../../core/internal.ts";
import type { AddressPolicy } from "./address-policy.ts";

export interface NetworkFetchOptions {
  /** Default: the environment of this process. */
  readonly env?: Environment | undefined;
  /** Called with a problem that does not prevent requests. */
  readonly note: (message: string) => void;
}

/**
 * A `fetch` that uses the proxies and the certificate file named in the environment, which Node 20's own `fetch` ignores. Where
 * they make no difference the global one is used, so most programs do not load another HTTP client.
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

export interface GuardedFetchOptions {
  /** Used instead of the network. */
  readonly fetch?: typeof fetch | undefined;
  /** As for `networkFetch`. Called once. */
  readonly note?: NetworkFetchOptions["note"] | undefined;
}

/**
 * A `fetch` that requests a URL only if the policy allows it. For a host named by the server, the socket connects only to
 * addresses that were checked. Redirects are not followed.
 */
export function guardedFetch(
  policy: AddressPolicy,
  { fetch: given, note = () => {} }: GuardedFetchOptions,
): typeof fetch {
  let isNoted = false;
  const noteOnce = (problem: string): void => {
    if (!isNoted) note(problem);
    isNoted = true;
  };
  const own = given ?? networkFetch({ note: noteOnce });
  let guarded: Promise<typeof fetch> | undefined;
  const guardedNetwork = async (): Promise<typeof fetch> => {
    // Separate connections: sockets to servers use the checked addresses; a proxy may have any address.
    const { send, problem } = await openNetwork(
      process.env,
      proxySettings(process.env),
      await policy.lookup(),
    );
    if (problem !== undefined) noteOnce(problem);
    return send;
  };
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    await policy.check(url);
    const send = given ?? (policy.isOwn(url) ? own : await (guarded ??= guardedNetwork()));
    return send(input, { ...init, redirect: "manual" });
  };
}

interface Network {
  readonly send: typeof fetch;
  readonly problem: string | undefined;
}

/** All servers share connections, as with the global `fetch`. */
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
    const options = definedMembers({
      ...proxies,
      // Plain http is sent as a proxied request, as other clients do: many proxies tunnel to port 443 only.
      proxyTunnel: false,
      connect: lookup || tls ? definedMembers({ ...tls, lookup }) : undefined,
      requestTls: tls,
      proxyTls: tls,
    });
    dispatcher = new EnvHttpProxyAgent(options);
  } catch {
    // Without the cause: it contains the address, which may contain a password.
    throw new ProxyError("bad_address", "the proxy address in HTTP_PROXY or HTTPS_PROXY is not valid");
  }
  const fetching = undiciFetch as unknown as (input: unknown, init: object) => Promise<Response>;
  return { send: (input, init) => fetching(input, { ...init, dispatcher }), problem };
}

/** A problem with a proxy from the environment, not with the server behind it. */
class ProxyError extends CoreError<"bad_address" | "unreachable"> {}

/** The error for an unreachable proxy: the original one seems to be about the server. */
function proxyFailure(
  thrown: unknown,
  target: URL,
  { httpProxy, httpsProxy }: ProxySettings,
): ProxyError | undefined {
  const address = (target.protocol === "https:" && httpsProxy) || httpProxy;
  if (!URL.canParse(address)) return undefined;
  const proxy = new URL(address);
  const failed = connectionError((thrown as { readonly cause?: unknown }).cause);
  const isAboutProxy =
    (failed.hostname === proxy.hostname && target.hostname !== proxy.hostname) ||
    (failed.port === portOf(proxy) && portOf(target) !== portOf(proxy));
  if (!isAboutProxy) return undefined;
  const message = `the proxy at ${proxy.host} cannot be reached (${failed.code ?? "no answer"})`;
  return new ProxyError("unreachable", message, { cause: thrown });
}

/** Where a connection failed. An error about several addresses of one host names them in `errors`. */
function connectionError(cause: unknown): {
  readonly code: string | undefined;
  readonly hostname?: unknown;
  readonly port?: unknown;
} {
  if (typeof cause !== "object" || cause === null) return { code: undefined };
  const { hostname, port, errors } = cause as { hostname?: unknown; port?: unknown; errors?: unknown };
  if (Array.isArray(errors)) return connectionError(errors[0]);
  return { code: errorCode(cause), hostname, port };
}

function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}

interface TrustedCertificates {
  /** Undefined: Node's defaults. Created once: reading a few hundred certificates takes milliseconds. */
  readonly secureContext?: SecureContext;
  /** Why the file was not used. */
  readonly problem?: string;
}

const MAX_PEM_BYTES = 16 * 1024 * 1024;

/** Whether the environment names authorities that Node does not read itself. */
function namesAuthorities({ SSL_CERT_FILE: file, NODE_EXTRA_CA_CERTS: extra }: Environment): boolean {
  return file !== undefined && file !== "" && file !== extra;
}

/**
 * The authorities that Node trusts plus those in `SSL_CERT_FILE`, which Node ignores. A custom list replaces Node's, so it
 * must also contain those in `NODE_EXTRA_CA_CERTS`.
 */
async function trustedCertificates(env: Environment): Promise<TrustedCertificates> {
  const { SSL_CERT_FILE: file = "", NODE_EXTRA_CA_CERTS: extraFile } = env;
  if (!namesAuthorities(env)) return {};
  const own = await readPem(file);
  if ("problem" in own) return { problem: `SSL_CERT_FILE is ignored: its file ${own.problem}` };
  const tls = await import("node:tls");
  // Since Node 22.15.
  const { getCACertificates } = tls as { readonly getCACertificates?: () => string[] };
  const extra = extraFile ? await readPem(extraFile) : undefined;
  // Node 20 cannot list everything it trusts. Node itself warns about an unusable NODE_EXTRA_CA_CERTS at startup.
  const ca = getCACertificates?.() ?? [
    ...tls.rootCertificates,
    ...(extra && "text" in extra ? [extra.text] : []),
  ];
  return { secureContext: tls.createSecureContext({ ca: [...ca, own.text] }) };
}

async function readPem(file: string): Promise<{ readonly text: string } | { readonly problem: string }> {
  const { readFile, stat } = await import("node:fs/promises");
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > MAX_PEM_BYTES) return { problem: "is not a file of certificates" };
    const text = await readFile(file, "utf8");
    return /^-----BEGIN (TRUSTED )?CERTIFICATE-----/m.test(text)
      ? { text }
      : { problem: "contains no PEM certificate" };
  } catch (thrown) {
    return { problem: `cannot be read (${errorCode(thrown) ?? "unknown error"})` };
  }
}
