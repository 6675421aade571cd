import type { FetchedPage } from "../fetch/fetch-page.ts";

/** One result of a search. */
export interface SearchHit {
  readonly title: string;
  /** Absolute, http or https. */
  readonly url: string;
  readonly snippet: string;
}

/** What a search gives a provider to work with. */
export interface SearchRequest {
  readonly query: string;
  /** How many results are wanted; more are cut off by the caller. */
  readonly count: number;
  /**
   * Gets a page with the limits of this search. `isConfigured`: a person chose this address, so it need not
   * be public; whatever it redirects to must be.
   */
  fetch(
    url: string,
    options?: { readonly accept?: string; readonly isConfigured?: boolean },
  ): Promise<FetchedPage>;
}

/** A search engine, asked over HTTP. */
export interface SearchProvider {
  /** Shown to whoever reads the results or the failure. */
  readonly name: string;
  /** The results, best first. Rejects with a `WebError` that says why there is no answer; none found is no failure. */
  search(request: SearchRequest): Promise<readonly SearchHit[]>;
}
