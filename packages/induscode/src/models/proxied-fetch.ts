import type { Environment } from "indusagi/core";
import { networkFetch } from "indusagi/interop";

/** A `fetch` with the environment's proxies and certificates. A separate file, because most runs do not need it. */
export function proxiedFetch(env: Environment, note: (message: string) => void): typeof fetch {
  return networkFetch({ env, note });
}
