import { BlockedAddressError, joinSignals, showDuration } from "../../../core/index.ts";
import { WebError } from "../web-error.ts";
import { type NetworkOptions, type OpenResponse, openResponse } from "./open-response.ts";
import { readBody } from "./read-body.ts";
import { type HostCheck, parseUrl, type UrlGuard } from "./url-guard.ts";

export interface FetchOptions extends NetworkOptions {
  readonly guard: UrlGuard;
  /** The most bytes to read, after decompression. */
  readonly maxBytes: number;
  /** For everything: name lookups, connections, redirects and the body. */
  readonly timeoutMs: number;
  readonly accept: string;
  readonly signal: AbortSignal;
}

/** The response after all redirects. */
export interface FetchedPage {
  /** The last URL. */
  readonly url: URL;
  readonly status: number;
  /** The Content-Type as sent, or empty. */
  readonly contentType: string;
  /** The body, decompressed, up to the cap. */
  readonly bytes: Uint8Array;
  /** Why `bytes` is not complete. */
  readonly cut?: "cap" | "lost";
}

const MAX_REDIRECTS = 5;

/**
 * Fetches a page within limits of size, time and redirects. The guard checks every hop.
 * Rejects with a `WebError`, or with the signal's reason when it aborts.
 */
export async function fetchPage(target: string, options: FetchOptions): Promise<FetchedPage> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  const signal = joinSignals(options.signal, deadline);
  try {
    return await followRedirects(parseUrl(target), { ...options, signal });
  } catch (thrown) {
    options.signal.throwIfAborted();
    if (deadline.aborted) {
      throw new WebError("timeout", `no complete response within ${showDuration(options.timeoutMs)}`, {
        cause: thrown,
      });
    }
    if (thrown instanceof BlockedAddressError)
      throw new WebError("refused", thrown.message, { cause: thrown });
    throw thrown;
  }
}

async function followRedirects(start: URL, options: FetchOptions): Promise<FetchedPage> {
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const found = await fetchHop(url, hop, options);
    if (!(found instanceof URL)) return found;
    url = found;
  }
  throw new WebError("redirects", `${start.host} redirects more than ${MAX_REDIRECTS} times`);
}

/** One hop: returns the page, or the URL it redirects to. */
async function fetchHop(url: URL, hop: number, options: FetchOptions): Promise<FetchedPage | URL> {
  const response = await openResponse(url, { ...options, hostCheck: checked(url, hop, options.guard) });
  try {
    const next = redirectOf(response, url);
    if (next) return next;
    const { maxBytes, signal } = options;
    const body = await readBody(response.body, {
      maxBytes,
      signal,
      encoding: response.header("content-encoding") ?? "",
    });
    return { url, status: response.status, contentType: response.header("content-type") ?? "", ...body };
  } finally {
    response.body.destroy();
    await response.close();
  }
}

function checked(url: URL, hop: number, guard: UrlGuard): HostCheck {
  try {
    return guard.check(url);
  } catch (thrown) {
    if (hop === 0 || !(thrown instanceof WebError)) throw thrown;
    throw new WebError("refused", `redirected to a URL that is not allowed: ${thrown.message}`, {
      cause: thrown,
    });
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function redirectOf(response: OpenResponse, from: URL): URL | undefined {
  const location = response.header("location");
  if (!REDIRECTS.has(response.status) || location === undefined) return undefined;
  if (!URL.canParse(location, from.href))
    throw new WebError("redirects", `${from.host} redirects to something that is not a URL`);
  const next = new URL(location, from);
  if (from.protocol === "https:" && next.protocol === "http:") {
    throw new WebError("redirects", `${from.host} redirects from https to plain http, which is not followed`);
  }
  return next;
}
