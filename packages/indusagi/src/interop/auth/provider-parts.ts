import { systemClock } from "../../core/index.ts";
import { Redactor } from "../../core/internal.ts";
import {
  type LoginRecord,
  missingRights,
  type StoredLogin,
  type TokenAccount,
  type TokenKey,
  type TokenStore,
} from "../contract/index.ts";
import { AddressPolicy, guardedFetch } from "../network/index.ts";
import { AuthError } from "./auth-error.ts";
import { AuthRequests } from "./flow/auth-fetch.ts";
import { accountOf, DEFAULT_PRINCIPAL } from "./login-status.ts";
import type { OAuthProviderOptions } from "./oauth-options.ts";
import { createMemoryTokenStore } from "./store/file-token-store.ts";

/** What every step of a provider uses: its options, the stored login, and guarded requests. */
export interface ProviderParts {
  readonly options: OAuthProviderOptions;
  readonly serverUrl: URL;
  readonly cache: LoginCache;
  readonly policy: AddressPolicy;
  readonly redactor: Redactor;
  /** Requests of one login or renewal. */
  requests(): AuthRequests;
  nowMs(): number;
}

const REQUEST_MS = 20_000;

export function providerParts(options: OAuthProviderOptions): ProviderParts {
  const { store = createMemoryTokenStore(), principal = DEFAULT_PRINCIPAL, client, resolve } = options;
  const { authorizationServer, clock = systemClock, requestMs = REQUEST_MS } = options;
  const serverUrl = new URL(options.serverUrl);
  const secrets = [client?.secret, client?.privateKey].filter((value) => value !== undefined);
  const redactor = new Redactor(secrets);
  const policy = new AddressPolicy({
    serverUrl,
    trusted: authorizationServer === undefined ? [] : [new URL(authorizationServer)],
    resolve,
  });
  const send = guardedFetch(policy, options);
  return {
    options,
    serverUrl,
    cache: new LoginCache(accountOf(serverUrl, principal), store, redactor),
    policy,
    redactor,
    requests: () => new AuthRequests({ send, requestMs, redactor }),
    nowMs: () => clock.nowMs(),
  };
}

export const DEFAULT_LOGIN_HINT = "log in to it";

/** The error for a request that needs a login, which this program must not start on its own. */
export function loginRequired(
  { loginHint = DEFAULT_LOGIN_HINT }: OAuthProviderOptions,
  { status = 401, scope }: { readonly status?: number; readonly scope?: string | undefined } = {},
): AuthError {
  return new AuthError("login_required", missingRights(status, scope), { status, login: loginHint });
}

/** The login of one account: cached in memory for each request, stored for other processes and the next start. */
export class LoginCache {
  readonly account: TokenAccount;
  readonly store: TokenStore;
  readonly #redactor: Redactor;
  #login: StoredLogin | undefined;

  constructor(account: TokenAccount, store: TokenStore, redactor: Redactor) {
    this.account = account;
    this.store = store;
    this.#redactor = redactor;
  }

  /** The login as last read; read now if there was none. */
  async current(): Promise<StoredLogin | undefined> {
    return this.#login ?? this.reload();
  }

  async reload(): Promise<StoredLogin | undefined> {
    const [newest] = await this.store.find(this.account);
    this.#keep(newest);
    return newest;
  }

  /** Cached first: if storing fails, this process can still use it. */
  async save(key: TokenKey, record: LoginRecord): Promise<void> {
    this.#keep({ key, record });
    await this.store.save(key, record);
  }

  async forget(): Promise<void> {
    for (const { key } of await this.store.find(this.account)) await this.store.remove(key);
    this.#login = undefined;
  }

  #keep(login: StoredLogin | undefined): void {
    this.#login = login;
    const { accessToken, refreshToken } = login?.record.tokens ?? {};
    const secret = login?.record.client["client_secret"];
    for (const value of [accessToken, refreshToken, secret])
      if (typeof value === "string") this.#redactor.add(value);
  }
}
