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
