import type { ResolveHost } from "../../../core/index.ts";
import type { Environment } from "./fetch/proxy-settings.ts";
import type { SearchProvider } from "./search/search-provider.ts";

/** Settings of `webFetchTool`. */
export interface WebFetchOptions {
  /**
   * Hosts that may be fetched from although they are not public, each `host` or `host:port` (`localhost:3000`,
   * `[::1]:8080`). The only way to open the guard: no argument of a call and no variable does.
   */
  readonly allowHosts?: readonly string[];
  /** For one fetch from the first name lookup to the last byte. Default 30 s. */
  readonly timeoutMs?: number;
  /** How names become addresses. Default: this machine's resolver. */
  readonly resolve?: ResolveHost;
  /** Where proxy variables are read, at each call. Default: the process environment. */
  readonly env?: Environment;
}

/** Settings of `webSearchTool`. */
export interface WebSearchOptions {
  /**
   * Who is asked, in this order. Default: the SearXNG instance at `INDUS_SEARCH_URL`, when that variable is set,
   * then DuckDuckGo.
   */
  readonly providers?: readonly SearchProvider[];
  /** For each provider. Default 15 s. */
  readonly timeoutMs?: number;
  /** How names become addresses. Default: this machine's resolver. */
  readonly resolve?: ResolveHost;
  /** Where `INDUS_SEARCH_URL` and the proxy variables are read, at each call. Default: the process environment. */
  readonly env?: Environment;
}
