import { WebError } from "../web-error.ts";
import type { SearchHit, SearchProvider } from "./search-provider.ts";

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

export interface SearxngOptions {
  /** The instance, with or without its `/search` path. It may be on a private network. */
  readonly url: string;
}

/** A SearXNG instance, or anything else that answers `?q=…&format=json` with `{ results: [{ title, url, content }] }`. */
export function searxng(options: SearxngOptions): SearchProvider {
  return {
    name: "searxng",
    async search(request) {
      const page = await request.fetch(searchUrl(options.url, request.query), {
        accept: "application/json",
        isConfigured: true,
      });
      if (page.status === 429)
        throw new WebError("answer", "rate limited (status 429); wait before searching again");
      if (page.status === 403) throw new WebError("answer", "status 403: its JSON format may be disabled");
      if (page.status !== 200) throw new WebError("answer", `status ${page.status}`);
      const { decodePage } = await import("../fetch/decode-page.ts");
      return hitsOf(decodePage(page.bytes, page.contentType));
    },
  };
}

function searchUrl(base: string, query: string): string {
  if (!URL.canParse(base)) throw new WebError("refused", "the configured search URL is not a URL");
  const url = new URL(base);
  if (!url.pathname.endsWith("/search")) url.pathname = `${url.pathname.replace(/\/$/, "")}/search`;
  url.searchParams.set("q", query);
  url.searchParams.set("format", "json");
  return url.href;
}

function hitsOf(json: string): readonly SearchHit[] {
  const rows = (parsed(json) as { results?: unknown } | null | undefined)?.results;
  if (!Array.isArray(rows)) throw new WebError("answer", "the answer is not JSON with a list of results");
  return rows.map((row: unknown) => {
    const { title, url, content } = (row ?? {}) as { title?: unknown; url?: unknown; content?: unknown };
    return { title: textOf(title), url: textOf(url), snippet: textOf(content) };
  });
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
