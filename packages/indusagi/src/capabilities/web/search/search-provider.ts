import type { FetchedPage } from "../fetch/fetch-page.ts";

/** One result of a search. */
export interface SearchHit {
  readonly title: string;
  /** Absolute, http or https. */
  readonly url: string;
  readonly snippet: string;
}

/** The arguments of a provider. */
export interface SearchRequest {
  readonly query: string;
  /** How many results to return; the caller drops the rest. */
  readonly count: number;
  /**
   * Fetches a page with the limits of this search. `isConfigured`: the address comes from the configuration, so it need
   * not be public; its redirects must be.
   */
  fetch(
    url: string,
    options?: { readonly accept?: string; readonly isConfigured?: boolean },
  ): Promise<FetchedPage>;
}

/** A search engine that is used over HTTP. */
export interface SearchProvider {
  /** Shown with the results and in errors. */
  readonly name: string;
  /** The results, best first; empty if nothing was found. Rejects with a `WebError` that has the reason. */
  search(request: SearchRequest): Promise<readonly SearchHit[]>;
}
