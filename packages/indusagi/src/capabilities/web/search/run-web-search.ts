import { describeError, type Environment } from "../../../core/index.ts";
import { systemResolveHost } from "../../../core/internal.ts";
import { failureResult, type ToolResult } from "../../../runtime/index.ts";
import type { ToolContext } from "../../contract/index.ts";
import { fetchPage } from "../fetch/fetch-page.ts";
import { createUrlGuard, parseUrl } from "../fetch/url-guard.ts";
import { frameUntrusted, oneLine, UNTRUSTED_NOTE } from "../untrusted-text.ts";
import { WebError } from "../web-error.ts";
import type { WebSearchOptions } from "../web-options.ts";
import { duckDuckGo, searxng } from "./search-engines.ts";
import type { SearchHit, SearchProvider, SearchRequest } from "./search-provider.ts";

export interface WebSearchInput {
  readonly query: string;
  readonly count?: number;
}

const RESULT_PAGE_BYTES = 2 * 1024 * 1024;

export async function runWebSearch(
  input: Required<WebSearchInput>,
  options: WebSearchOptions,
  { signal }: ToolContext,
): Promise<ToolResult> {
  const query = oneLine(input.query, 500);
  if (query === "") return failureResult("websearch: the query is empty; give words to search for");
  const env = options.env ?? process.env;
  const request = { query, count: input.count, fetch: fetcher(options, env, signal) };
  try {
    const providers = options.providers ?? configuredProviders(env);
    return showAnswer(query, await searchChain(providers, request, signal));
  } catch (thrown) {
    if (thrown instanceof WebError) return failureResult(`websearch: ${thrown.message}`);
    throw thrown;
  }
}

function configuredProviders(env: Environment): readonly SearchProvider[] {
  const url = env["INDUS_SEARCH_URL"]?.trim() ?? "";
  return url === "" ? [duckDuckGo()] : [searxng({ url }), duckDuckGo()];
}

function fetcher(options: WebSearchOptions, env: Environment, signal: AbortSignal): SearchRequest["fetch"] {
  const { timeoutMs = 15_000, resolve = systemResolveHost } = options;
  return async (url, { accept = "*/*", isConfigured = false } = {}) => {
    // Allow exactly the host and port of a configured address; its redirects are guarded.
    const { hostname, port, protocol } = parseUrl(url);
    const allowedHost = `${hostname}:${port === "" ? (protocol === "https:" ? 443 : 80) : port}`;
    const guard = createUrlGuard(isConfigured ? [allowedHost] : []);
    return fetchPage(url, { guard, maxBytes: RESULT_PAGE_BYTES, timeoutMs, resolve, env, accept, signal });
  };
}

interface SearchAnswer {
  readonly provider: string;
  readonly hits: readonly SearchHit[];
}

/**
 * Tries the providers in order until one answers; an empty result is an answer. If all fail, rejects with a `WebError`
 * that has the reason of each. An abort ends it at once.
 */
async function searchChain(
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

function showAnswer(query: string, { provider, hits }: SearchAnswer): ToolResult {
  const rows = hits.map(({ title, url, snippet }, index) =>
    [`${index + 1}. ${title}`, `   ${url}`, ...(snippet === "" ? [] : [`   ${snippet}`])].join("\n"),
  );
  const head = `${hits.length} results for ${JSON.stringify(query)} (${provider})`;
  const text =
    hits.length === 0 ? head : `${head}\n${UNTRUSTED_NOTE}\n\n${frameUntrusted(rows.join("\n\n"))}`;
  return {
    content: [
      { kind: "text", text },
      { kind: "json", value: hits },
    ],
  };
}
