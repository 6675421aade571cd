/** What a token was found to say. */
export interface VerifiedToken {
  /** Who stands behind it; sessions belong to their principal. */
  readonly principal: string;
  /** Whom it was made for. `"any"` only for a secret that was made for this very listener. */
  readonly audience: readonly string[] | "any";
  /** Seconds since the epoch. */
  readonly expiresAt?: number;
  readonly scopes?: readonly string[];
}

/** Tells what a bearer token says; `undefined` when it says nothing we trust. */
export interface TokenVerifier {
  verify(token: string): Promise<VerifiedToken | undefined> | VerifiedToken | undefined;
}

/** Why a request without a good token is refused, in the words of RFC 6750. */
export type TokenRefusal = "missing_token" | "invalid_token" | "wrong_audience" | "expired_token";

/** Checks an `Authorization` header. The token itself goes no further than this. */
export async function checkBearer(
  header: string | undefined,
  verifier: TokenVerifier,
  audience: string,
): Promise<VerifiedToken | TokenRefusal> {
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header ?? "")?.[1];
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
  if (secret.length < 16) throw new TypeError("a shared secret must have 16 characters at least");
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

/** Names of resources are URLs; a slash at the end makes no other resource. */
function isSameAudience(a: string, b: string): boolean {
  return a.replace(/\/$/, "") === b.replace(/\/$/, "");
}
