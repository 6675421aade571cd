import type { StoredOAuthTokens } from "@modelcontextprotocol/client";
import { contentHash } from "../../../core/index.ts";
import { definedMembers } from "../../../core/internal.ts";
import type { LoginRecord, TokenSet } from "../../contract/index.ts";

/** Tokens are renewed this long before they expire, or after nine tenths of a shorter lifetime. */
const EARLY_MS = 60_000;

/** Converts a token response. `asked` is the scope if the response does not repeat it. */
export function tokenSet(answer: StoredOAuthTokens, nowMs: number, asked?: string): TokenSet {
  const { access_token, refresh_token, expires_in } = answer;
  return definedMembers({
    accessToken: access_token,
    obtainedAtMs: nowMs,
    refreshToken: refresh_token,
    scope: answer.scope ?? asked,
    expiresAtMs: expires_in === undefined ? undefined : nowMs + expires_in * 1000,
  });
}

/** Whether an access token should be renewed before it is used. */
export function isStale({ obtainedAtMs, expiresAtMs }: TokenSet, nowMs: number): boolean {
  if (expiresAtMs === undefined) return false;
  const earlyMs = Math.min(EARLY_MS, Math.max(0, expiresAtMs - obtainedAtMs) / 10);
  return nowMs >= expiresAtMs - earlyMs;
}

export function isExpired({ expiresAtMs }: TokenSet, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/** Marks a refresh token as refused, without containing the token. */
export function refusalMark(refreshToken: string | undefined): string {
  return contentHash(refreshToken ?? "");
}

/** Whether the authorization server refused the stored refresh token, in this process or another one. */
export function isRefreshRefused({ tokens, refreshRefused }: LoginRecord): boolean {
  return (
    refreshRefused === true || (tokens !== undefined && refreshRefused === refusalMark(tokens.refreshToken))
  );
}

/** Who an ID token is about. It comes directly from the token endpoint, so its signature is not checked. */
export function accountIn(idToken: string | undefined): string | undefined {
  try {
    const payload = Buffer.from(idToken?.split(".")[1] ?? "", "base64url").toString("utf8");
    const { email, preferred_username: name, sub } = JSON.parse(payload) as { [claim: string]: unknown };
    return [email, name, sub].find((claim): claim is string => typeof claim === "string" && claim !== "");
  } catch {
    return undefined;
  }
}
