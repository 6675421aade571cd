import type { RefusedRequest, TokenProvider } from "../../contract/index.ts";
import { lacksScope } from "../faults/http-refusal.ts";

/**
 * A `fetch` that lets the provider renew a refused token and then repeats the request, once for each kind of refusal. The
 * SDK would do this for a 401, but it does not say which token was refused: two requests that fail at the same time would
 * both renew it.
 */
export function authorizedFetch(send: typeof fetch, provider: TokenProvider, serverUrl: URL): typeof fetch {
  return async (input, init) => {
    const handled = new Set<number>();
    let sent = init;
    let response = await send(input, sent);
    for (;;) {
      const renew = renewal(response, provider);
      if (!renew || handled.has(response.status)) return response;
      handled.add(response.status);
      await renew({ response, serverUrl, token: tokenOf(sent) });
      const token = await provider.token();
      if (token === undefined) return response;
      await response.body?.cancel().catch(() => {});
      sent = withToken(sent, token);
      response = await send(input, sent);
    }
  };
}

/** What the provider can do about a refusal; `undefined` if the answer is none, or the provider can do nothing. */
function renewal(
  response: Response,
  provider: TokenProvider,
): ((refused: RefusedRequest) => Promise<void>) | undefined {
  if (response.status === 401) return provider.onUnauthorized?.bind(provider);
  return lacksScope(response) ? provider.onInsufficientScope?.bind(provider) : undefined;
}

function tokenOf(init: RequestInit | undefined): string | undefined {
  return /^bearer (.+)$/i.exec(new Headers(init?.headers).get("authorization") ?? "")?.[1];
}

function withToken(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
