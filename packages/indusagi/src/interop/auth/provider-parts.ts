import { escapeForDisplay, shortenText, systemClock } from "../../core/index.ts";
import { Redactor } from "../../core/internal.ts";
import { AddressPolicy, guardedFetch } from "../network/index.ts";
import { AuthError } from "./auth-error.ts";
import { AuthRequests } from "./flow/auth-fetch.ts";
import { LoginBook } from "./login-book.ts";
import { DEFAULT_PRINCIPAL } from "./login-status.ts";
import type { OAuthProviderOptions } from "./oauth-options.ts";
import { accountOf } from "./store/account-of.ts";
import { createMemoryTokenStore } from "./store/memory-token-store.ts";

/** What every step of a provider uses: its options, the stored login, and guarded requests. */
export interface ProviderParts {
  readonly options: OAuthProviderOptions;
  readonly serverUrl: URL;
  readonly book: LoginBook;
  readonly policy: AddressPolicy;
  readonly redactor: Redactor;
  /** Requests of one login or renewal. */
  requests(): AuthRequests;
  nowMs(): number;
}

const REQUEST_MS = 20_000;
const MAX_SCOPE_CHARS = 300;

export function providerParts(options: OAuthProviderOptions): ProviderParts {
  const { store = createMemoryTokenStore(), principal = DEFAULT_PRINCIPAL, client, resolve } = options;
  const { authorizationServer, clock = systemClock, requestMs = REQUEST_MS } = options;
  const serverUrl = new URL(options.serverUrl);
  const secrets = [client?.secret, client?.privateKey].filter((value) => value !== undefined);
  const redactor = new Redactor(secrets);
  const policy = new AddressPolicy({
    serverUrl,
    trusted: authorizationServer === undefined ? [] : [new URL(authorizationServer)],
    ...(resolve ? { resolve } : {}),
  });
  const send = guardedFetch({ policy, fetch: options.fetch });
  return {
    options,
    serverUrl,
    book: new LoginBook(accountOf(serverUrl, principal), store, redactor),
    policy,
    redactor,
    requests: () => new AuthRequests({ send, requestMs, redactor }),
    nowMs: () => clock.nowMs(),
  };
}

export const DEFAULT_LOGIN_HINT = "log in to it";

/** The error of a request that needs a login, which this program must not start by itself. */
export function loginRequired(
  { loginHint = DEFAULT_LOGIN_HINT }: OAuthProviderOptions,
  { status = 401, scope }: { readonly status?: number; readonly scope?: string } = {},
): AuthError {
  const what = status === 403 ? "it wants more rights" : "it requires a login";
  const shown = scope === undefined ? "" : ` (${shortenText(escapeForDisplay(scope), MAX_SCOPE_CHARS)})`;
  return new AuthError("login_required", `${what}${shown}`, { status, login: loginHint });
}
