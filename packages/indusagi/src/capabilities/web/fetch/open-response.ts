import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import {
  BlockedAddressError,
  describeError,
  type Environment,
  errorCode,
  guardedLookup,
  plainLookup,
  type ResolveHost,
  requirePublicAddresses,
  untilAborted,
} from "../../../core/index.ts";
import {
  bareHost,
  hasProxy,
  isPrivateName,
  PACKAGE_VERSION,
  type ProxySettings,
  proxySettings,
} from "../../../core/internal.ts";
import { WebError } from "../web-error.ts";
import type { HostCheck } from "./url-guard.ts";

/** How requests reach the network. */
export interface NetworkOptions {
  readonly resolve: ResolveHost;
  readonly env: Environment;
}

export interface OpenOptions extends NetworkOptions {
  readonly hostCheck: HostCheck;
  readonly accept: string;
  /** Ends the request. */
  readonly signal: AbortSignal;
}

/** A response whose body is not read yet. */
export interface OpenResponse {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: Readable;
  /** Closes the connection. Never rejects. */
  close(): Promise<void>;
}

const USER_AGENT = `indusagi/${PACKAGE_VERSION}`;
const MAX_HEADER_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Sends one GET and waits for the response headers. It follows no redirects, keeps no connection and sends no cookies
 * or credentials. It connects to a guarded URL only if all addresses of its host are public.
 */
export async function openResponse(url: URL, options: OpenOptions): Promise<OpenResponse> {
  const proxies = proxySettings(options.env);
  if (options.hostCheck === "guarded" && hasProxy(proxies)) {
    await untilAborted(checkBeforeProxy(url, options.resolve), options.signal);
  }
  const { request } = await import("undici");
  const agent = await createAgent(options, proxies);
  const close = (): Promise<void> => agent.destroy().catch(() => undefined);

  const sent = request(url, {
    dispatcher: agent,
    method: "GET",
    headers: {
      "user-agent": USER_AGENT,
      accept: options.accept,
      "accept-encoding": "gzip, deflate, br",
    },
    signal: options.signal,
  });
  try {
    // undici listens to the signal only once connected; a slow resolver or a silent host must not take longer.
    const { statusCode, headers, body } = await untilAborted(sent, options.signal);
    body.on("error", () => undefined);
    const header = (name: string): string | undefined => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    };
    return { status: statusCode, header, body, close };
  } catch (cause) {
    await close();
    options.signal.throwIfAborted();
    throw unreachable(url, cause);
  }
}

/**
 * Checks a host name that a proxy will resolve and connect to. We can only check the addresses that the name has here;
 * the proxy decides which address it connects to.
 *
 * A name that does not resolve here is allowed, because behind many proxies no public name resolves locally. Names that
 * exist only inside private networks are refused.
 */
async function checkBeforeProxy(url: URL, resolve: ResolveHost): Promise<void> {
  const host = bareHost(url.hostname);
  const addresses = await resolve(host).catch((): readonly string[] => []);
  requirePublicAddresses(host, addresses);
  if (addresses.length === 0 && isPrivateName(host)) {
    throw new WebError("refused", `${host} is a private network name and is not fetched through a proxy`);
  }
}

/** An agent for one request. Direct connections are guarded; the user's proxy may have any address. */
async function createAgent(options: OpenOptions, proxies: ProxySettings): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import("undici");
  const lookup =
    options.hostCheck === "allowed" ? plainLookup(options.resolve) : guardedLookup(options.resolve);
  try {
    return new EnvHttpProxyAgent({
      ...proxies,
      // Plain http is sent as a proxied request, as other clients do: many proxies tunnel to port 443 only.
      proxyTunnel: false,
      connect: { lookup, timeout: CONNECT_TIMEOUT_MS },
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  } catch (cause) {
    throw new WebError("unreachable", "HTTP_PROXY or HTTPS_PROXY is not a usable proxy URL", { cause });
  }
}

/** The meaning of error codes, for a reader who has to decide what to do. */
const REASONS: { readonly [code: string]: string } = {
  ENOTFOUND: "there is no such host name",
  EAI_AGAIN: "the host name cannot be resolved right now (no network, or no DNS)",
  ECONNREFUSED: "nothing listens there (connection refused)",
  ECONNRESET: "the connection was reset",
  ENETUNREACH: "the network is unreachable",
  EHOSTUNREACH: "the host is unreachable",
  UND_ERR_CONNECT_TIMEOUT: "the host did not answer in time",
  UND_ERR_SOCKET: "the connection was closed before a response came",
  UND_ERR_HEADERS_OVERFLOW: `the response headers are larger than ${MAX_HEADER_BYTES} bytes`,
  HPE_HEADER_OVERFLOW: `the response headers are larger than ${MAX_HEADER_BYTES} bytes`,
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN:
    "its certificate chain is self-signed (behind an inspecting proxy set NODE_EXTRA_CA_CERTS)",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    "its certificate cannot be verified (NODE_EXTRA_CA_CERTS adds an authority)",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    "its certificate's issuer is not known (NODE_EXTRA_CA_CERTS adds an authority)",
};

function unreachable(url: URL, cause: unknown): Error {
  if (cause instanceof BlockedAddressError) return cause;
  const kind = errorCode(cause);
  const reason = (kind === undefined ? undefined : REASONS[kind]) ?? describeError(cause);
  return new WebError("unreachable", `${url.host} could not be reached: ${reason}`, { cause });
}
