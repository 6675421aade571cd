import type { Environment } from "../../core/index.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { guardedNetworkFetch, networkFetch } from "./network-fetch.ts";

export interface GuardedFetchOptions {
  readonly policy: AddressPolicy;
  /** Used instead of the network, for example by a test. The policy is checked before. */
  readonly fetch?: typeof fetch | undefined;
  readonly env?: Environment;
  readonly note?: (message: string) => void;
}

/**
 * A `fetch` that requests a URL only if the policy allows it. A socket to a host that the server named connects to exactly
 * the addresses that were checked. Redirects are not followed.
 */
export function guardedFetch({
  policy,
  fetch: given,
  env = process.env,
  note = () => {},
}: GuardedFetchOptions): typeof fetch {
  const own = given ?? networkFetch({ env, note });
  let guarded: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    await policy.check(url);
    if (!policy.isOwn(url)) guarded ??= policy.lookup().then((lookup) => guardedNetworkFetch(env, lookup));
    const send = given ?? (policy.isOwn(url) ? own : await guarded);
    return (send ?? own)(input, { ...init, redirect: "manual" });
  };
}
