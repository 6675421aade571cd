import { escapeForDisplay, shortenText } from "../../core/index.ts";

/** A response that refused a request because its token is missing, invalid or lacks rights. */
export interface RefusedRequest {
  readonly response: Response;
  readonly serverUrl: URL;
  /** The token sent with the refused request. */
  readonly token?: string | undefined;
}

/**
 * Supplies bearer tokens for one HTTP server. After a refusal the request is retried once, with the token that `token`
 * then returns.
 */
export interface TokenProvider {
  /** How the user logs in, shown in errors: a command to run. */
  readonly loginHint?: string | undefined;
  /** The token for the next request. */
  token(): Promise<string | undefined>;
  /** Called when the server refuses a token (401). Rejects if there is no other token. */
  onUnauthorized?(refused: RefusedRequest): Promise<void>;
  /** Called when the token lacks rights (403 `insufficient_scope`). Rejects if there is no token with more rights. */
  onInsufficientScope?(refused: RefusedRequest): Promise<void>;
  /**
   * Calls the listener when there are credentials other than the ones refused last, for example after a login in another
   * process. Returns a function that removes the listener.
   */
  onLogin?(listener: () => void): () => void;
}

/** Whose login at which server. */
export interface TokenAccount {
  /** The URL of the MCP server, without user name, query and fragment. Credentials stored for one URL are never sent to another. */
  readonly server: string;
  /** Which of several users of this program. */
  readonly principal: string;
}

/** What a login is stored under. A server that changes its authorization server gets a separate login. */
export interface TokenKey extends TokenAccount {
  /** The authorization server that issued everything in the record. */
  readonly issuer: string;
}

export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly scope?: string;
  /** Milliseconds since the Unix epoch. */
  readonly obtainedAtMs: number;
  /** Absent if the authorization server did not say. */
  readonly expiresAtMs?: number;
}

/** JSON from the authorization server or the SDK, stored unchanged. */
export type StoredJson = { readonly [member: string]: unknown };

/** What is known about one login. */
export interface LoginRecord {
  /** The client, as registered with the issuer. */
  readonly client: StoredJson;
  /** The redirect URL that the client is registered with. */
  readonly redirectUrl?: string;
  /** The metadata of the authorization server, checked at the login. */
  readonly metadata?: StoredJson;
  /** The `resource` that tokens are requested for. */
  readonly resource?: string;
  readonly tokens?: TokenSet;
  /** Who logged in, if the authorization server said so. */
  readonly account?: string;
  /** Scopes that a server asked for and did not get; the next login requests them too. */
  readonly wantedScope?: string;
  /** The hash of a refresh token that the authorization server refused; it is not sent again. True: the stored one. */
  readonly refreshRefused?: string | true;
  readonly savedAtMs: number;
}

export interface StoredLogin {
  readonly key: TokenKey;
  readonly record: LoginRecord;
}

/** Stores logins. Several processes may share a store. */
export interface TokenStore {
  /** The logins of an account, newest first. */
  find(account: TokenAccount): Promise<readonly StoredLogin[]>;
  save(key: TokenKey, record: LoginRecord): Promise<void>;
  remove(key: TokenKey): Promise<void>;
  /** Runs a step while no other step runs for this account, in any process. */
  exclusive<Value>(account: TokenAccount, step: () => Promise<Value>): Promise<Value>;
  /** Calls the listener when the logins of an account may have changed. Returns a function that removes the listener. */
  watch(account: TokenAccount, listener: () => void): () => void;
}

const MAX_SCOPE_CHARS = 300;

/** What a request refused with 401 or 403 lacks, and the scopes that the server asks for. */
export function missingRights(status: number, scope?: string): string {
  const what = status === 403 ? "it wants more rights" : "it requires a login";
  return scope === undefined ? what : `${what} (${shortenText(escapeForDisplay(scope), MAX_SCOPE_CHARS)})`;
}
