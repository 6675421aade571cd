import { type ResolveHost, requirePublicAddresses } from "../../../../core/index.ts";
import { WebError } from "../web-error.ts";
import { bareHost } from "./url-guard.ts";

/**
 * Checks a name that a proxy is going to resolve and dial. We can only look at what it means here and now: which
 * address the proxy dials, and whether it may, is the proxy's own rule.
 *
 * A name that this machine cannot resolve is left to the proxy, because behind many proxies no public name resolves
 * locally; names that can only mean something inside a network are refused all the same.
 */
export async function checkBeforeProxy(url: URL, resolve: ResolveHost): Promise<void> {
  const host = bareHost(url.hostname);
  const addresses = await resolve(host).catch((): readonly string[] => []);
  requirePublicAddresses(host, addresses);
  if (addresses.length === 0 && isInsideName(host)) {
    throw new WebError("refused", `${host} is a name of an inside network, not fetched through a proxy`);
  }
}

const INSIDE_SUFFIXES = [
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "localdomain",
];

function isInsideName(host: string): boolean {
  return !host.includes(".") || INSIDE_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));
}
