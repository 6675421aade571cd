import type { Environment } from "../../../../core/index.ts";
import { systemResolveHost } from "../../../../core/internal.ts";
import { failureResult, type ToolResult } from "../../../../runtime/index.ts";
import type { ToolContext } from "../../../contract/index.ts";
import { fetchPage } from "../fetch/fetch-page.ts";
import { createUrlGuard, parseUrl } from "../fetch/url-guard.ts";
import { frameUntrusted, oneLine, UNTRUSTED_NOTE } from "../untrusted-text.ts";
import { WebError } from "../web-error.ts";
import type { WebSearchOptions } from "../web-options.ts";
import { duckDuckGo } from "./duck-duck-go.ts";
import { type SearchAnswer, searchChain } from "./search-chain.ts";
import type { SearchProvider, SearchRequest } from "./search-provider.ts";
import { searxng } from "./searxng.ts";

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
