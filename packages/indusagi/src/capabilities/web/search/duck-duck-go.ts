import { WebError } from "../web-error.ts";
import type { SearchProvider } from "./search-provider.ts";

export interface DuckDuckGoOptions {
  /** Another address of the same page, e.g. your own relay. It may be on a private network. */
  readonly url?: string;
}

const PUBLIC_URL = "https://html.duckduckgo.com/html/";

/** DuckDuckGo's page for browsers without scripts. Needs no key, but is rate limited. */
export function duckDuckGo(options: DuckDuckGoOptions = {}): SearchProvider {
  return {
    name: "duckduckgo",
    async search(request) {
      const url = new URL(options.url ?? PUBLIC_URL);
      url.searchParams.set("q", request.query);
      const page = await request.fetch(url.href, {
        accept: "text/html",
        isConfigured: options.url !== undefined,
      });
      // With status 202 it sends a puzzle instead of results.
      if (page.status === 202 || page.status === 429) throw rateLimited();
      if (page.status !== 200) throw new WebError("answer", `status ${page.status}`);

      const { decodePage } = await import("../fetch/decode-page.ts");
      const { readResultPage } = await import("./read-result-page.ts");
      const { hits, isEmpty, isChallenge } = await readResultPage(decodePage(page.bytes, page.contentType));
      if (hits.length > 0 || isEmpty) return hits;
      throw isChallenge ? rateLimited() : new WebError("answer", "the answer is not a results page");
    },
  };
}

function rateLimited(): WebError {
  return new WebError("answer", "rate limited: it asks for a CAPTCHA; wait before searching again");
}
