/** The content of a verified token. */
export interface VerifiedToken {
  /** The principal; sessions belong to it. */
  readonly principal: string;
  /** The audience. `"any"` only for a secret made for this listener. */
  readonly audience: readonly string[] | "any";
  /** Seconds since the epoch. */
  readonly expiresAt?: number;
  readonly scopes?: readonly string[];
}

/** Verifies a bearer token; `undefined` if it is not valid. */
export interface TokenVerifier {
  verify(token: string): Promise<VerifiedToken | undefined> | VerifiedToken | undefined;
  /**
   * Whether a token is still valid. Called every `recheckMs` while a stream, a session or a call of the token is open;
   * they end if it returns false, fails or takes longer than that. Without this function they end at `expiresAt` only.
   */
  recheck?(token: string): Promise<boolean> | boolean;
}

/** Why a request without a valid token is refused, in the terms of RFC 6750. */
export type TokenRefusal =
  | "missing_token"
  | "invalid_token"
  | "wrong_audience"
  | "expired_token"
  | "revoked_token";

/** The token in an `Authorization` header. */
export function bearerIn(header: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? "")?.[1];
}

/** Checks a bearer token. The token itself is not passed on. */
export async function checkBearer(
  token: string | undefined,
  verifier: TokenVerifier,
  audience: string,
): Promise<VerifiedToken | TokenRefusal> {
  if (token === undefined) return "missing_token";
  const found = await verifier.verify(token);
  if (!found) return "invalid_token";
  if (found.audience !== "any" && !found.audience.some((name) => isSameAudience(name, audience)))
    return "wrong_audience";
  if (found.expiresAt !== undefined && found.expiresAt * 1000 <= Date.now()) return "expired_token";
  return found;
}

/** A verifier for one shared secret, compared in constant time. */
export function sharedSecret(secret: string, principal = "owner"): TokenVerifier {
  if (secret.length < 16) throw new TypeError("a shared secret must have at least 16 characters");
  const { timingSafeEqual } = process.getBuiltinModule("node:crypto");
  const expected = Buffer.from(secret);
  return {
    verify: (token) => {
      const given = Buffer.from(token);
      const isSame = given.length === expected.length && timingSafeEqual(given, expected);
      return isSame ? { principal, audience: "any" } : undefined;
    },
  };
}

/** Audiences are URLs; a trailing slash makes no difference. */
function isSameAudience(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}
