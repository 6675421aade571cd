import { escapeForDisplay, shortenText } from "../../core/index.ts";

/** An answer that refused a request for lack of a token or of rights. */
export interface RefusedRequest {
  readonly response: Response;
  readonly serverUrl: URL;
  /** The token that the refused request had. */
  readonly token?: string | undefined;
}

/**
 * Supplies the bearer tokens for one server behind HTTP. After a refusal the request is repeated once, with the token that
 * `token` then returns.
 */
export interface TokenProvider {
  /** What the user does to log in, for errors: a command to run. */
  readonly loginHint?: string | undefined;
  /** The token for the next request. */
  token(): Promise<string | undefined>;
  /** Called when the server refuses a token (401). Rejects if there is no other one. */
  onUnauthorized?(refused: RefusedRequest): Promise<void>;
  /** Called when the token lacks rights (403 `insufficient_scope`). Rejects if there is no token with more rights. */
  onInsufficientScope?(refused: RefusedRequest): Promise<void>;
  /**
   * Calls the listener when there are other credentials than those that were refused last, for example after a login in
   * another process. Returns a function that removes the listener.
   */
  onLogin?(listener: () => void): () => void;
}

/** Whose login at which server. */
export interface TokenAccount {
  /** The URL of the MCP server, without user name, query and fragment: what is stored for one URL is sent to no other. */
  readonly server: string;
  /** Which of several users of this program. */
  readonly principal: string;
}

/** What a login is stored under. A server that changes its authorization server gets a login of its own for it. */
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
  /** Absent if the authorization server did not tell. */
  readonly expiresAtMs?: number;
}

/** JSON of the authorization server or of the SDK, stored as it is. */
export type StoredJson = { readonly [member: string]: unknown };

/** What is known about one login. */
export interface LoginRecord {
  /** The client as it is registered with the issuer. */
  readonly client: StoredJson;
  /** The address for the answer of the authorization server that the client is registered with. */
  readonly redirectUrl?: string;
  /** The metadata of the authorization server, checked at the login. */
  readonly metadata?: StoredJson;
  /** The `resource` that tokens are asked for. */
  readonly resource?: string;
  readonly tokens?: TokenSet;
  /** Who logged in, as far as the authorization server said it. */
  readonly account?: string;
  /** Scopes that a server asked for in vain; the next login asks for them too. */
  readonly wantedScope?: string;
  /** The hash of the refresh token that the authorization server refused; it is not sent again. True: the one that is stored. */
  readonly refreshRefused?: string | true;
  readonly savedAtMs: number;
}

export interface StoredLogin {
  readonly key: TokenKey;
  readonly record: LoginRecord;
}

/** Keeps logins. Several processes may share what it keeps. */
export interface TokenStore {
  /** The logins of an account, the one saved last first. */
  find(account: TokenAccount): Promise<readonly StoredLogin[]>;
  save(key: TokenKey, record: LoginRecord): Promise<void>;
  remove(key: TokenKey): Promise<void>;
  /** Runs a step while no other one runs for this account, in any process. */
  exclusive<Value>(account: TokenAccount, step: () => Promise<Value>): Promise<Value>;
  /** Calls the listener when the logins of an account may have changed. Returns a function that removes the listener. */
  watch(account: TokenAccount, listener: () => void): () => void;
}

const MAX_SCOPE_CHARS = 300;

/** What a request lacks that was refused with 401 or 403, and the scopes that the server asks for. */
export function missingRights(status: number, scope?: string): string {
  const what = status === 403 ? "it wants more rights" : "it requires a login";
  return scope === undefined ? what : `${what} (${shortenText(escapeForDisplay(scope), MAX_SCOPE_CHARS)})`;
}
