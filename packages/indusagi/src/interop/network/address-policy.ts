import {
  CoreError,
  guardedLookup,
  isPublicAddress,
  type ResolveHost,
  requirePublicAddresses,
} from "../../core/index.ts";
import {
  bareHost,
  isPrivateName,
  type PrivateNetwork,
  privateNetworkOf,
  systemResolveHost,
} from "../../core/internal.ts";

/** A URL from a third party that must not be requested. */
export class UnsafeUrlError extends CoreError<"unsafe_url"> {
  constructor(message: string, cause?: unknown) {
    super("unsafe_url", message, cause === undefined ? {} : { cause });
  }
}

export interface AddressPolicyOptions {
  /** The server's URL as the user wrote it. Its address decides which other addresses are allowed. */
  readonly serverUrl: URL;
  /** Other URLs that the user wrote. */
  readonly trusted?: readonly URL[];
  readonly resolve?: ResolveHost | undefined;
}

/**
 * Which URLs may be requested for one server. URLs that the user wrote are allowed. The host of a URL that the server names
 * must be public, or in the same private network as the user's URL, for example also localhost.
 */
export class AddressPolicy {
  readonly resolve: ResolveHost;
  readonly #serverUrl: URL;
  readonly #origins: ReadonlySet<string>;
  #network: Promise<PrivateNetwork | undefined> | undefined;

  constructor({ serverUrl, trusted = [], resolve = systemResolveHost }: AddressPolicyOptions) {
    this.resolve = resolve;
    this.#serverUrl = serverUrl;
    this.#origins = new Set([serverUrl, ...trusted].map(({ origin }) => origin));
  }

  /** Whether the user wrote a URL with this origin. */
  isOwn({ origin }: URL): boolean {
    return this.#origins.has(origin);
  }

  /** Throws an `UnsafeUrlError` unless the URL may be requested. */
  async check(url: URL): Promise<void> {
    requireWebUrl(url);
    if (this.isOwn(url)) return;
    const host = bareHost(url.hostname);
    const addresses = await this.#addressesOf(host);
    try {
      requirePublicAddresses(host, addresses, await this.allowedNetwork());
    } catch (thrown) {
      const reason = (thrown as Error).message;
      throw new UnsafeUrlError(
        `the server names a private address, ${url.origin} (${reason}), ${FORBIDDEN}`,
        thrown,
      );
    }
    // Behind a proxy a public name may not resolve here.
    if (addresses.length === 0 && isPrivateName(host))
      throw new UnsafeUrlError(`the server names a private address, ${url.origin}, ${FORBIDDEN}`);
    if (url.protocol === "http:" && (addresses.length === 0 || addresses.some(isPublicAddress)))
      throw new UnsafeUrlError(`the server names ${url.origin}, which does not use https`);
  }

  /** A `lookup` for sockets that applies the same rule. */
  async lookup(): Promise<ReturnType<typeof guardedLookup>> {
    return guardedLookup(this.resolve, await this.allowedNetwork());
  }

  /** The private network of the user's URL, if it is in one. */
  allowedNetwork(): Promise<PrivateNetwork | undefined> {
    this.#network ??= this.#networkOf(bareHost(this.#serverUrl.hostname));
    return this.#network;
  }

  async #networkOf(host: string): Promise<PrivateNetwork | undefined> {
    const [network, ...others] = new Set((await this.#addressesOf(host)).map(privateNetworkOf));
    return others.length === 0 ? network : undefined;
  }

  async #addressesOf(host: string): Promise<readonly string[]> {
    if (process.getBuiltinModule("node:net").isIP(host) !== 0) return [host];
    return this.resolve(host).catch((): readonly string[] => []);
  }
}

const FORBIDDEN =
  'which a remote server is not allowed to do; if this is intended, set "authorizationServer" in "oauth" of its row';

/** Only http and https, without a user name: the URL is requested, shown, or opened in a browser. */
function requireWebUrl(url: URL): void {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new UnsafeUrlError(`the server names a ${url.protocol} URL; only https: and http: are used`);
  if (url.username !== "" || url.password !== "")
    throw new UnsafeUrlError(`the server names a URL with a user name on ${url.host}`);
}
