import { definedMembers } from "../../core/internal.ts";
import type { StoredLogin, TokenAccount, TokenStore } from "../contract/index.ts";
import { isRefreshRefused } from "./flow/token-set.ts";

/** Who is logged in at a server, and until when. Contains no token. */
export interface LoginStatus extends TokenAccount {
  readonly issuer: string;
  /** Who logged in, if the authorization server said so. */
  readonly account?: string;
  readonly scope?: string;
  /** When the access token expires. Absent if unknown. */
  readonly expiresAtMs?: number;
  /** Whether an expired access token can be renewed without a person. */
  readonly renewable: boolean;
  /** False if the token has expired and cannot be renewed: a login is needed. */
  readonly usable: boolean;
}

export interface LoginStatusOptions {
  /** Default `default`. */
  readonly principal?: string;
  readonly nowMs?: number;
}

/** The current login at a server; `undefined` if there is none. */
export async function loginStatus(
  store: TokenStore,
  serverUrl: string | URL,
  { principal = DEFAULT_PRINCIPAL, nowMs = Date.now() }: LoginStatusOptions = {},
): Promise<LoginStatus | undefined> {
  const [login] = await store.find(accountOf(new URL(serverUrl), principal));
  return login && statusOf(login, nowMs);
}

export const DEFAULT_PRINCIPAL = "default";

export function statusOf({ key, record }: StoredLogin, nowMs: number): LoginStatus | undefined {
  const { tokens, account } = record;
  if (!tokens) return undefined;
  const { scope, expiresAtMs } = tokens;
  const renewable = tokens.refreshToken !== undefined && !isRefreshRefused(record);
  return definedMembers({
    ...key,
    renewable,
    usable: renewable || expiresAtMs === undefined || expiresAtMs > nowMs,
    account,
    scope,
    expiresAtMs,
  });
}

/** The account of a user at a server. */
export function accountOf(serverUrl: URL, principal: string): TokenAccount {
  const server = new URL(serverUrl);
  server.username = server.password = server.search = server.hash = "";
  return { server: server.href, principal };
}
