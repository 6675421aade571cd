import { httpStatusMeaning } from "./http-statuses.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** More of an error page is not read. */
const MAX_BODY_BYTES = 4096;

/** An HTTP answer that refuses a message. The SDK's own error would not say for how long, nor always with what status. */
class HttpRefusal extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, message: string, retryAfterMs: number | undefined) {
    super(message);
    this.name = "HttpRefusal";
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Which answers to a POST fail with an `HttpRefusal`. */
export type Refuses = (status: number, init: RequestInit) => boolean;

/** Those that may be asked again after a while. */
const refusesForNow: Refuses = (status) => httpStatusMeaning(status).isPassing;

/**
 * Behind the older transport all of them, because the SDK's error for one carries no status. A login keeps its 401, and
 * what it posts itself, which is no message.
 */
export function refusesMessages(hasLogin: boolean): Refuses {
  return (status, init) =>
    refusesForNow(status, init) || ((status !== 401 || !hasLogin) && isMessage(init.body));
}

/** A `fetch` whose refused messages fail with an `HttpRefusal`. Streams and all else pass. */
export function refusingFetch(
  fetching: typeof fetch = fetch,
  refuses: Refuses = refusesForNow,
): typeof fetch {
  return async (input, init) => {
    const response = await fetching(input, init);
    if (response.status < 400 || init?.method !== "POST" || !refuses(response.status, init)) return response;
    const message = (await beginningOf(response)) || response.statusText || "no reason given";
    throw new HttpRefusal(response.status, message, parseRetryAfter(response.headers.get("retry-after")));
  };
}

function isMessage(body: RequestInit["body"]): boolean {
  if (typeof body !== "string") return false;
  try {
    return (JSON.parse(body) as { readonly jsonrpc?: unknown } | null)?.jsonrpc === "2.0";
  } catch {
    return false;
  }
}

async function beginningOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk as Uint8Array);
      bytes += (chunk as Uint8Array).length;
      if (bytes >= MAX_BODY_BYTES) break; // Leaving the loop cancels the rest.
    }
  } catch {
    // What has come by now is enough.
  }
  return Buffer.concat(chunks).toString("utf8", 0, MAX_BODY_BYTES);
}
