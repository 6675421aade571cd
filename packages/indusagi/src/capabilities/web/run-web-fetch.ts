import { systemResolveHost } from "../../core/internal.ts";
import { failureResult, type ToolResult } from "../../runtime/index.ts";
import type { ToolContext } from "../contract/index.ts";
import { fetchPage } from "./fetch/fetch-page.ts";
import type { UrlGuard } from "./fetch/url-guard.ts";
import { showPage } from "./show-page.ts";
import { WebError } from "./web-error.ts";
import type { WebFetchOptions } from "./web-options.ts";

export interface WebFetchInput {
  readonly url: string;
  readonly maxBytes?: number;
}

const ACCEPT =
  "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5";

export async function runWebFetch(
  { url, maxBytes }: Required<WebFetchInput>,
  options: WebFetchOptions & { readonly guard: UrlGuard },
  { signal, budget }: ToolContext,
): Promise<ToolResult> {
  const { timeoutMs = 30_000, resolve = systemResolveHost, env = process.env, guard } = options;
  try {
    const page = await fetchPage(url.trim(), {
      guard,
      maxBytes,
      timeoutMs,
      resolve,
      env,
      signal,
      accept: ACCEPT,
    });
    return await showPage(page, { budget, maxBytes });
  } catch (thrown) {
    if (thrown instanceof WebError) return failureResult(`webfetch: ${thrown.message}`);
    throw thrown;
  }
}
