import { type ResolveHost, requirePublicAddresses } from "../../../../core/index.ts";
import { bareHost, isPrivateName } from "../../../../core/internal.ts";
import { WebError } from "../web-error.ts";

/**
 * Checks a host name that a proxy will resolve and connect to. We can only check the addresses that the name has here;
 * the proxy decides which address it connects to.
 *
 * A name that does not resolve here is allowed, because behind many proxies no public name resolves locally. Names that
 * exist only inside private networks are refused.
 */
export async function checkBeforeProxy(url: URL, resolve: ResolveHost): Promise<void> {
  const host = bareHost(url.hostname);
  const addresses = await resolve(host).catch((): readonly string[] => []);
  requirePublicAddresses(host, addresses);
  if (addresses.length === 0 && isPrivateName(host)) {
    throw new WebError("refused", `${host} is a name of a private network, not fetched through a proxy`);
  }
}
