import { CoreError } from "../../core/index.ts";

/**
 * Why there is no token: `login_required` (the user has to log in), `refused` (the authorization server refused), `denied` (the
 * user or a deadline ended the login), `unsafe` (an address, issuer or answer that must not be trusted), `failed` (the
 * authorization server could not be used; retrying later may work).
 */
export type AuthErrorKind = "login_required" | "refused" | "denied" | "unsafe" | "failed";

export interface AuthErrorDetails {
  readonly cause?: unknown;
  /** The HTTP status of the MCP server that asked for the login. */
  readonly status?: number | undefined;
  /** How the user logs in. */
  readonly login?: string | undefined;
  /** The error code of the authorization server, such as `invalid_grant`. */
  readonly oauthError?: string | undefined;
}

/** A failure to get a token. Its message contains no secret. */
export class AuthError extends CoreError<AuthErrorKind> {
  readonly status: number | undefined;
  readonly login: string | undefined;
  readonly oauthError: string | undefined;

  constructor(kind: AuthErrorKind, message: string, details: AuthErrorDetails = {}) {
    super(kind, message, details.cause === undefined ? {} : { cause: details.cause });
    this.status = details.status;
    this.login = details.login;
    this.oauthError = details.oauthError;
  }
}

/** Whether the authorization server said that the grant is no longer valid: only then is a refresh token useless. */
export function isGrantRefused(thrown: unknown): boolean {
  return (
    thrown instanceof AuthError && thrown.kind === "refused" && GRANT_ERRORS.has(thrown.oauthError ?? "")
  );
}

const GRANT_ERRORS = new Set(["invalid_grant", "invalid_client", "unauthorized_client"]);
