import { meaningOf } from "./http-statuses.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** More of an error page is not read. */
const MAX_BODY_BYTES = 4096;

/** An HTTP answer that asks to be left alone for a while. The SDK's own error would not say for how long. */
class HttpRefusal extends Error {
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, says: string, retryAfterMs: number | undefined) {
    super(says);
    this.name = "HttpRefusal";
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A `fetch` whose messages that were refused for the moment fail with an `HttpRefusal`. Streams and all else pass. */
export function refusingFetch(fetching: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetching(input, init);
    if (response.status < 400 || init?.method !== "POST" || !meaningOf(response.status).isPassing)
      return response;
    const says = (await beginningOf(response)) || response.statusText || "no reason given";
    throw new HttpRefusal(response.status, says, parseRetryAfter(response.headers.get("retry-after")));
  };
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
