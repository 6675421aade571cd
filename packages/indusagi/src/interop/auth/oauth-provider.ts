import { CoreError, createSingleFlight } from "../../core/index.ts";
import { definedMembers } from "../../core/internal.ts";
import type {
  RefusedRequest,
  ServerConfig,
  StoredLogin,
  TokenProvider,
  TokenSet,
} from "../contract/index.ts";
import { AuthError, isGrantRefused } from "./auth-error.ts";
import { asAuthError } from "./flow/auth-fetch.ts";
import { type Challenge, challengeOf, hasMoreScopes, stillIssues, unionOfScopes } from "./flow/challenge.ts";
import { clientAuthentication, refreshTokens, revokeLogin } from "./flow/token-requests.ts";
import { isExpired, isRefreshRefused, isStale, refusalMark, tokenSet } from "./flow/token-set.ts";
import { type LoginStatus, statusOf } from "./login-status.ts";
import type { OAuthProviderOptions } from "./oauth-options.ts";
import { obtainLogin, type WantedLogin } from "./obtain-login.ts";
import {
  DEFAULT_LOGIN_HINT,
  type LoginCache,
  loginRequired,
  type ProviderParts,
  providerParts,
} from "./provider-parts.ts";

/** OAuth 2.1 tokens for one server. */
export interface OAuthProvider extends TokenProvider {
  /** Gets new tokens now, even if there are valid ones. Rejects with an `AuthError`. */
  login(): Promise<LoginStatus>;
  /** Revokes the login at the authorization server if possible, and deletes it. False if there was none. */
  logout(): Promise<boolean>;
  status(): Promise<LoginStatus | undefined>;
  /** The redirect URL that the client is registered with, so the next login can reuse it. */
  registeredRedirect(): Promise<string | undefined>;
}

/** Throws a `CoreError` if the options would let the server choose where a secret is sent. */
export function createOAuthProvider(options: OAuthProviderOptions): OAuthProvider {
  const { client, grant, authorizationServer } = options;
  const hasSecret =
    client?.secret !== undefined || client?.privateKey !== undefined || grant?.kind === "jwt_bearer";
  if (hasSecret && authorizationServer === undefined)
    throw new CoreError(
      "no_authorization_server",
      "a client secret, key or assertion needs the issuer it belongs to: set authorizationServer",
    );
  return new OAuthProviderImpl(options);
}

class OAuthProviderImpl implements OAuthProvider {
  readonly loginHint: string;
  readonly #parts: ProviderParts;
  readonly #options: OAuthProviderOptions;
  readonly #cache: LoginCache;
  readonly #flight = createSingleFlight<string>();
  /** The access token that was refused last. */
  #refused: string | undefined;
  /** True until the login that the user asked for has succeeded. */
  #ignoresStored: boolean;

  constructor(options: OAuthProviderOptions) {
    this.loginHint = options.loginHint ?? DEFAULT_LOGIN_HINT;
    this.#parts = providerParts(options);
    this.#options = options;
    this.#cache = this.#parts.cache;
    this.#ignoresStored = options.relogin ?? false;
  }

  async token(): Promise<string | undefined> {
    if (this.#ignoresStored) return undefined;
    const login = await this.#cache.current();
    const tokens = login?.record.tokens;
    if (!tokens || !isStale(tokens, this.#parts.nowMs())) return tokens?.accessToken;
    if (!canRenew(login)) return tokens.accessToken;
    try {
      return (await this.#renew(tokens.accessToken)).accessToken;
    } catch (thrown) {
      // The server decides about a token that cannot be renewed.
      if (isGrantRefused(thrown) || !isExpired(tokens, this.#parts.nowMs())) return tokens.accessToken;
      throw thrown;
    }
  }

  async onUnauthorized({ response, token }: RefusedRequest): Promise<void> {
    const challenge = await challengeOf(response);
    this.#refused = token;
    await this.#flight.run("unauthorized", () => this.#recover(token, challenge));
  }

  async onInsufficientScope({ response, token }: RefusedRequest): Promise<void> {
    const challenge = await challengeOf(response);
    this.#refused = token;
    await this.#flight.run("scope", () => this.#stepUp(token, challenge));
  }

  onLogin(listener: () => void): () => void {
    const refused = this.#refused;
    let isOver = false;
    const look = async (): Promise<void> => {
      const login = await this.#cache.reload().catch(() => undefined);
      const token = login?.record.tokens?.accessToken;
      if (isOver || token === undefined || token === refused) return;
      if (login && isRefreshRefused(login.record)) return;
      stop();
      listener();
    };
    const unwatch = this.#cache.store.watch(this.#cache.account, () => void look());
    const stop = (): void => {
      isOver = true;
      unwatch();
    };
    void look(); // The login may have happened before this call.
    return stop;
  }

  async login(): Promise<LoginStatus> {
    await this.#obtain({ challenge: {}, scope: await this.#scopeFor({}) });
    return this.#loggedIn();
  }

  async logout(): Promise<boolean> {
    return this.#cache.store.exclusive(this.#cache.account, async () => {
      const logins = await this.#cache.store.find(this.#cache.account);
      const authenticate = await clientAuthentication(this.#options.client);
      for (const login of logins)
        await revokeLogin(login, { fetch: this.#parts.requests().fetch, authenticate });
      await this.#cache.forget();
      return logins.length > 0;
    });
  }

  async status(): Promise<LoginStatus | undefined> {
    const login = await this.#cache.reload();
    return login && statusOf(login, this.#parts.nowMs());
  }

  async registeredRedirect(): Promise<string | undefined> {
    return (await this.#cache.current())?.record.redirectUrl;
  }

  async #recover(refused: string | undefined, challenge: Challenge): Promise<void> {
    const login = this.#ignoresStored ? undefined : await this.#cache.reload();
    const tokens = login?.record.tokens;
    if (tokens && tokens.accessToken !== refused) return; // Renewed meanwhile, here or in another process.
    if (login && tokens && canRenew(login) && (await this.#stillIssues(login, challenge))) {
      try {
        await this.#renew(tokens.accessToken);
        return;
      } catch (thrown) {
        if (!isGrantRefused(thrown)) throw thrown;
      }
    }
    await this.#obtain({ status: 401, challenge, scope: await this.#scopeFor(challenge) });
  }

  async #stepUp(refused: string | undefined, challenge: Challenge): Promise<void> {
    const login = await this.#cache.reload();
    const tokens = login?.record.tokens;
    if (tokens && tokens.accessToken !== refused) return;
    const scope = await unionOfScopes(this.#options.scopes?.join(" "), tokens?.scope, challenge.scope);
    if (login && challenge.scope !== undefined && (await hasMoreScopes(challenge.scope, tokens?.scope)))
      await this.#remember(challenge.scope);
    await this.#obtain({ status: 403, challenge, scope });
  }

  /**
   * The next login requests these scopes too, in any process. Reads the login again, because another process may have
   * renewed it.
   */
  async #remember(wantedScope: string): Promise<void> {
    await this.#cache.store.exclusive(this.#cache.account, async () => {
      const login = await this.#cache.reload();
      if (login) await this.#cache.save(login.key, { ...login.record, wantedScope });
    });
  }

  async #scopeFor({ scope }: Challenge): Promise<string | undefined> {
    const record = (await this.#cache.current())?.record;
    const asked = this.#options.scopes?.join(" ") ?? scope;
    return record?.wantedScope === undefined
      ? asked
      : unionOfScopes(asked, record.tokens?.scope, record.wantedScope);
  }

  #renew(old: string): Promise<TokenSet> {
    return this.#flight.run("renew", () => renewTokens(this.#parts, old));
  }

  async #obtain(wanted: WantedLogin): Promise<void> {
    await obtainLogin(this.#parts, wanted);
    this.#ignoresStored = false;
  }

  async #loggedIn(): Promise<LoginStatus> {
    const status = await this.status();
    if (!status) throw new AuthError("failed", "the login was not stored");
    return status;
  }

  #stillIssues({ key }: StoredLogin, challenge: Challenge): Promise<boolean> {
    if (this.#options.authorizationServer !== undefined) return Promise.resolve(true);
    return stillIssues(key.issuer, {
      serverUrl: this.#parts.serverUrl,
      resourceMetadataUrl: challenge.resourceMetadataUrl,
      fetch: this.#parts.requests().fetch,
    });
  }
}

/** Redeems the refresh token, unless another process has done so since `old` was read. */
function renewTokens(parts: ProviderParts, old: string): Promise<TokenSet> {
  const { cache, options } = parts;
  return cache.store.exclusive(cache.account, async () => {
    const login = await cache.reload();
    const tokens = login?.record.tokens;
    if (!login || !tokens) throw loginRequired(options);
    if (tokens.accessToken !== old) return tokens;
    if (!canRenew(login)) throw new AuthError("refused", REFUSED_BEFORE, { oauthError: "invalid_grant" });
    return redeem(parts, login, tokens);
  });
}

const REFUSED_BEFORE = "the authorization server refused to renew this login before";

/** Whether there is a refresh token that has not been refused, to this process or another one. */
function canRenew(login: StoredLogin | undefined): boolean {
  return login?.record.tokens?.refreshToken !== undefined && !isRefreshRefused(login.record);
}

async function redeem(parts: ProviderParts, login: StoredLogin, tokens: TokenSet): Promise<TokenSet> {
  const { cache, options, redactor } = parts;
  const { key, record } = login;
  try {
    const authenticate = await clientAuthentication(options.client);
    const answer = await refreshTokens(login, { fetch: parts.requests().fetch, authenticate });
    const renewed = tokenSet(answer, parts.nowMs(), tokens.scope);
    await cache.save(key, { ...record, tokens: renewed, savedAtMs: parts.nowMs() });
    return renewed;
  } catch (thrown) {
    // Nothing is deleted: the network may have failed, and a mark is enough to show that a login is needed.
    if (isGrantRefused(thrown))
      await cache.save(key, { ...record, refreshRefused: refusalMark(tokens.refreshToken) });
    throw asAuthError(thrown, redactor);
  }
}

/** The options that a row does not contain. */
export type RowProviderOptions = Omit<
  OAuthProviderOptions,
  "serverUrl" | "client" | "clientMetadataUrl" | "authorizationServer" | "scopes"
>;

/** The provider for a row; `undefined` for a process, and for a row that disables OAuth or sets an `Authorization` header. */
export function oauthProviderFor(
  config: ServerConfig,
  options: RowProviderOptions = {},
): OAuthProvider | undefined {
  if (config.kind === "stdio" || config.oauth === false || hasOwnToken(config)) return undefined;
  const { clientId: id, clientSecret: secret, scopes, authorizationServer } = config.oauth ?? {};
  // An id that is a URL names a document about the client. If the server does not take one, the client registers itself.
  const isDocument = secret === undefined && id?.startsWith("https://") === true;
  const given = definedMembers({
    client: id === undefined || isDocument ? undefined : definedMembers({ id, secret }),
    clientMetadataUrl: isDocument ? id : undefined,
    scopes,
    authorizationServer,
  });
  return createOAuthProvider({ ...options, serverUrl: config.url, ...given });
}

function hasOwnToken({ headers, fromCommand }: Exclude<ServerConfig, { kind: "stdio" }>): boolean {
  return Object.keys({ ...headers, ...fromCommand }).some((name) => name.toLowerCase() === "authorization");
}
