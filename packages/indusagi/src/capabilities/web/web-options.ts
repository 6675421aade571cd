import type { Environment, ResolveHost } from "../../core/index.ts";
import type { SearchProvider } from "./search/search-provider.ts";

/** Settings of `webFetchTool`. */
export interface WebFetchOptions {
  /**
   * Hosts that may be fetched although they are not public, each `host` or `host:port` (`localhost:3000`,
   * `[::1]:8080`). Neither an argument of a call nor an environment variable can allow a host.
   */
  readonly allowHosts?: readonly string[];
  /** For one fetch, from the name lookup to the last byte. Default 30 s. */
  readonly timeoutMs?: number;
  /** Resolves host names. Default: the system's resolver. */
  readonly resolve?: ResolveHost;
  /** The proxy variables, read at each call. Default: the process environment. */
  readonly env?: Environment;
}

/** Settings of `webSearchTool`. */
export interface WebSearchOptions {
  /**
   * The providers, in the order they are tried. Default: the SearXNG instance at `INDUS_SEARCH_URL`, if that variable
   * is set, then DuckDuckGo.
   */
  readonly providers?: readonly SearchProvider[];
  /** For each provider. Default 15 s. */
  readonly timeoutMs?: number;
  /** Resolves host names. Default: the system's resolver. */
  readonly resolve?: ResolveHost;
  /** `INDUS_SEARCH_URL` and the proxy variables, read at each call. Default: the process environment. */
  readonly env?: Environment;
}
