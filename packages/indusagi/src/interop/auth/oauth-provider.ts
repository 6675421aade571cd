import { CoreError, createSingleFlight, systemClock } from "../../core/index.ts";
import { Redactor } from "../../core/internal.ts";
import type { RefusedRequest, StoredLogin, TokenProvider, TokenSet } from "../contract/index.ts";
import { AddressPolicy, guardedFetch } from "../network/index.ts";
import { AuthError, isGrantRefused } from "./auth-error.ts";
import { AuthRequests, asAuthError } from "./flow/auth-fetch.ts";
import { type Challenge, challengeOf, isMore, stillIssues, union } from "./flow/challenge.ts";
import { clientAuthentication, configuredClient } from "./flow/client-authentication.ts";
import { FlowClient, type FlowResult } from "./flow/flow-client.ts";
import { refreshTokens } from "./flow/refresh-tokens.ts";
import { revokeTokens } from "./flow/revoke-tokens.ts";
import { runLogin } from "./flow/run-login.ts";
import { accountIn, isExpired, isStale, tokenSet } from "./flow/token-set.ts";
import { LoginBook } from "./login-book.ts";
import { DEFAULT_PRINCIPAL, type LoginStatus, statusOf } from "./login-status.ts";
import type { OAuthProviderOptions } from "./oauth-options.ts";
import { accountOf } from "./store/account-of.ts";
import { createMemoryTokenStore } from "./store/memory-token-store.ts";

/** Tokens of one server by OAuth 2.1. */
export interface OAuthProvider extends TokenProvider {
  /** Obtains new tokens now, whether or not there are some. Rejects with an `AuthError`. */
  login(): Promise<LoginStatus>;
  /** Ends the login at the authorization server, as far as that can be told, and forgets it. False if there was none. */
  logout(): Promise<boolean>;
  status(): Promise<LoginStatus | undefined>;
  /** The address for answers that the client is registered with, so that the next login can use it again. */
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
  readonly #options: OAuthProviderOptions;
  readonly #serverUrl: URL;
  readonly #book: LoginBook;
  readonly #policy: AddressPolicy;
  readonly #redactor: Redactor;
  readonly #send: typeof fetch;
  readonly #flight = createSingleFlight<string>();
  /** The access token that was refused last. */
  #refused: string | undefined;
  /** True until the login that the user asked for is done. */
  #ignoresStored: boolean;

  constructor(options: OAuthProviderOptions) {
    const { store = createMemoryTokenStore(), principal = DEFAULT_PRINCIPAL, client, resolve } = options;
    this.#options = options;
    this.#serverUrl = new URL(options.serverUrl);
    this.#redactor = new Redactor(
      [client?.secret, client?.privateKey].filter((value) => value !== undefined),
    );
    this.#book = new LoginBook(accountOf(this.#serverUrl, principal), store, this.#redactor);
    const { authorizationServer } = options;
    this.#policy = new AddressPolicy({
      serverUrl: this.#serverUrl,
      trusted: authorizationServer === undefined ? [] : [new URL(authorizationServer)],
      ...(resolve ? { resolve } : {}),
    });
    this.#send = guardedFetch({ policy: this.#policy, fetch: options.fetch });
    this.#ignoresStored = options.relogin ?? false;
  }

  async token(): Promise<string | undefined> {
    if (this.#ignoresStored) return undefined;
    const login = await this.#book.current();
    const tokens = login?.record.tokens;
    if (!tokens || !isStale(tokens, this.#nowMs())) return tokens?.accessToken;
    if (!canRenew(login)) return tokens.accessToken;
    try {
      return (await this.#renew(tokens.accessToken)).accessToken;
    } catch (thrown) {
      // The server decides about a token that cannot be renewed.
      if (isGrantRefused(thrown) || !isExpired(tokens, this.#nowMs())) return tokens.accessToken;
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
      const login = await this.#book.reload().catch(() => undefined);
      const token = login?.record.tokens?.accessToken;
      if (isOver || token === undefined || token === refused || login?.record.refreshRefused) return;
      stop();
      listener();
    };
    const unwatch = this.#book.store.watch(this.#book.account, () => void look());
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
    return this.#book.store.exclusive(this.#book.account, async () => {
      const logins = await this.#book.store.find(this.#book.account);
      const authenticate = await clientAuthentication(this.#options.client);
      for (const login of logins) await revokeTokens(login, { fetch: this.#requests().fetch, authenticate });
      await this.#book.forget();
      return logins.length > 0;
    });
  }

  async status(): Promise<LoginStatus | undefined> {
    const login = await this.#book.reload();
    return login && statusOf(login, this.#nowMs());
  }

  async registeredRedirect(): Promise<string | undefined> {
    return (await this.#book.current())?.record.redirectUrl;
  }

  async #recover(refused: string | undefined, challenge: Challenge): Promise<void> {
    const login = this.#ignoresStored ? undefined : await this.#book.reload();
    const tokens = login?.record.tokens;
    if (tokens && tokens.accessToken !== refused) return; // Renewed in the meantime, here or in another process.
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
    const login = await this.#book.reload();
    const tokens = login?.record.tokens;
    if (tokens && tokens.accessToken !== refused) return;
    const scope = await union(this.#options.scopes?.join(" "), tokens?.scope, challenge.scope);
    if (login && challenge.scope !== undefined && (await isMore(challenge.scope, tokens?.scope)))
      await this.#remember(login, challenge.scope);
    await this.#obtain({ status: 403, challenge, scope });
  }

  /** The next login asks for these scopes too, in whatever process it happens. */
  async #remember(login: StoredLogin, wantedScope: string): Promise<void> {
    await this.#book.store.exclusive(this.#book.account, () =>
      this.#book.save(login.key, { ...login.record, wantedScope }),
    );
  }

  async #scopeFor({ scope }: Challenge): Promise<string | undefined> {
    const record = (await this.#book.current())?.record;
    const asked = this.#options.scopes?.join(" ") ?? scope;
    return record?.wantedScope === undefined ? asked : union(asked, record.tokens?.scope, record.wantedScope);
  }

  /** Redeems the refresh token, unless another process has done so since `old` was read. */
  #renew(old: string): Promise<TokenSet> {
    const { account, store } = this.#book;
    return this.#flight.run("renew", () =>
      store.exclusive(account, async () => {
        const login = await this.#book.reload();
        const tokens = login?.record.tokens;
        if (!login || !tokens) throw this.#loginRequired(401);
        return tokens.accessToken === old ? this.#redeem(login, tokens) : tokens;
      }),
    );
  }

  async #redeem(login: StoredLogin, tokens: TokenSet): Promise<TokenSet> {
    const { key, record } = login;
    try {
      const authenticate = await clientAuthentication(this.#options.client);
      const answer = await refreshTokens(login, { fetch: this.#requests().fetch, authenticate });
      const renewed = tokenSet(answer, this.#nowMs(), tokens.scope);
      await this.#book.save(key, { ...record, tokens: renewed, savedAtMs: this.#nowMs() });
      return renewed;
    } catch (thrown) {
      // Nothing is deleted: the failure may be the network's, and a mark is enough to show that a login is needed.
      if (isGrantRefused(thrown)) await this.#book.save(key, { ...record, refreshRefused: true });
      throw asAuthError(thrown, this.#redactor);
    }
  }

  async #obtain({ status, challenge, scope }: Obtaining): Promise<void> {
    const { interaction, grant = { kind: "authorization_code" } } = this.#options;
    const isInteractive = grant.kind === "authorization_code";
    if (isInteractive && !interaction) throw this.#loginRequired(status ?? 401, challenge.scope);
    const redirectUrl = isInteractive ? interaction?.redirectUrl : undefined;
    const client = await this.#flowClient(redirectUrl);
    try {
      const result = await runLogin(
        { serverUrl: this.#serverUrl, resourceMetadataUrl: challenge.resourceMetadataUrl, scope },
        { client, requests: this.#requests(), policy: this.#policy, interaction },
      );
      await this.#saveLogin(result, { client, scope, redirectUrl });
    } catch (thrown) {
      throw asAuthError(thrown, this.#redactor);
    }
    this.#ignoresStored = false;
  }

  async #flowClient(redirectUrl: string | undefined): Promise<FlowClient> {
    const { clientName = "Indus", clientMetadataUrl, client, authorizationServer } = this.#options;
    const logins = await this.#book.store.find(this.#book.account);
    return new FlowClient({
      redirectUrl,
      clientName,
      clientMetadataUrl,
      authorizationServer,
      grant: this.#options.grant ?? { kind: "authorization_code" },
      canRegister: client === undefined,
      authenticate: await clientAuthentication(client),
      clientFor: (issuer) =>
        client
          ? configuredClient(client, authorizationServer)
          : registeredClient(logins, issuer, redirectUrl),
    });
  }

  async #saveLogin({ issuer, client, tokens, discovery }: FlowResult, saved: SavedParts): Promise<void> {
    const { account, store } = this.#book;
    const { resource } = saved.client;
    const metadata = discovery?.authorizationServerMetadata;
    const who = accountIn(tokens.id_token);
    const nowMs = this.#nowMs();
    const record = {
      client: { ...client },
      tokens: tokenSet(tokens, nowMs, saved.scope),
      savedAtMs: nowMs,
      ...(saved.redirectUrl === undefined ? {} : { redirectUrl: saved.redirectUrl }),
      ...(metadata ? { metadata: { ...metadata } } : {}),
      ...(resource === undefined ? {} : { resource }),
      ...(who === undefined ? {} : { account: who }),
    };
    await store.exclusive(account, () => this.#book.save({ ...account, issuer }, record));
  }

  async #loggedIn(): Promise<LoginStatus> {
    const status = await this.status();
    if (!status) throw new AuthError("failed", "the login was not stored");
    return status;
  }

  #stillIssues({ key }: StoredLogin, challenge: Challenge): Promise<boolean> {
    if (this.#options.authorizationServer !== undefined) return Promise.resolve(true);
    return stillIssues(key.issuer, {
      serverUrl: this.#serverUrl,
      resourceMetadataUrl: challenge.resourceMetadataUrl,
      fetch: this.#requests().fetch,
    });
  }

  #loginRequired(status: number, scope?: string): AuthError {
    const { loginHint = "log in to it" } = this.#options;
    const what =
      status === 403
        ? `it wants more rights${scope === undefined ? "" : ` (${scope})`}`
        : "it requires a login";
    return new AuthError("login_required", what, { status, login: loginHint });
  }

  #requests(): AuthRequests {
    const { requestMs = 20_000 } = this.#options;
    return new AuthRequests({ send: this.#send, requestMs, redactor: this.#redactor });
  }

  #nowMs(): number {
    return (this.#options.clock ?? systemClock).nowMs();
  }
}

interface Obtaining {
  readonly status?: number;
  readonly challenge: Challenge;
  readonly scope: string | undefined;
}

interface SavedParts {
  readonly client: FlowClient;
  readonly scope: string | undefined;
  readonly redirectUrl: string | undefined;
}

function canRenew(login: StoredLogin | undefined): boolean {
  return login?.record.tokens?.refreshToken !== undefined && login.record.refreshRefused !== true;
}

/** The client registered with this issuer for this redirect address. One whose grants are refused is registered anew. */
function registeredClient(
  logins: readonly StoredLogin[],
  issuer: string,
  redirectUrl: string | undefined,
): { client_id: string; issuer: string } | undefined {
  const login = logins.find(({ key }) => key.issuer === issuer);
  if (!login || login.record.redirectUrl !== redirectUrl || login.record.refreshRefused) return undefined;
  const { client_id: id } = login.record.client;
  return typeof id === "string" ? { ...login.record.client, client_id: id, issuer } : undefined;
}
