import type { Environment } from "indusagi/core";
import { networkFetch } from "indusagi/interop";

/** A `fetch` with the proxies and certificates of the environment. A file of its own: most runs do not need it. */
export function proxiedFetch(env: Environment, note: (message: string) => void): typeof fetch {
  return networkFetch({ env, note });
}
