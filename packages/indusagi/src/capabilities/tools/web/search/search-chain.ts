import { describeError } from "../../../../core/index.ts";
import { oneLine } from "../untrusted-text.ts";
import { WebError } from "../web-error.ts";
import type { SearchHit, SearchProvider, SearchRequest } from "./search-provider.ts";

export interface SearchAnswer {
  readonly provider: string;
  readonly hits: readonly SearchHit[];
}

/**
 * Tries the providers in order until one answers; an empty result is an answer. If all fail, rejects with a `WebError`
 * that has the reason of each. An abort ends it at once.
 */
export async function searchChain(
  providers: readonly SearchProvider[],
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchAnswer> {
  const failures: string[] = [];
  for (const provider of providers) {
    try {
      const hits = await provider.search(request);
      return { provider: provider.name, hits: usable(hits).slice(0, request.count) };
    } catch (thrown) {
      signal.throwIfAborted();
      failures.push(`${provider.name}: ${oneLine(describeError(thrown), 300)}`);
    }
  }
  throw new WebError("unreachable", `no search provider answered. ${failures.join("; ")}`);
}

/** Keeps results with a usable URL, each URL once, with texts on single lines. */
function usable(hits: readonly SearchHit[]): readonly SearchHit[] {
  const byUrl = new Map<string, SearchHit>();
  for (const { title, url, snippet } of hits) {
    if (!URL.canParse(url)) continue;
    const { href, protocol } = new URL(url);
    if ((protocol !== "http:" && protocol !== "https:") || href.length > 2000 || byUrl.has(href)) continue;
    byUrl.set(href, { title: oneLine(title, 200) || href, url: href, snippet: oneLine(snippet, 500) });
  }
  return [...byUrl.values()];
}
