import type { StoredLogin, TokenSet } from "../contract/index.ts";
import { AuthError, isGrantRefused } from "./auth-error.ts";
import { asAuthError } from "./flow/auth-fetch.ts";
import { clientAuthentication } from "./flow/client-authentication.ts";
import { refreshTokens } from "./flow/refresh-tokens.ts";
import { isRefreshRefused, refusalMark, tokenSet } from "./flow/token-set.ts";
import { loginRequired, type ProviderParts } from "./provider-parts.ts";

/** Redeems the refresh token, unless another process has done so since `old` was read. */
export function renewTokens(parts: ProviderParts, old: string): Promise<TokenSet> {
  const { book, options } = parts;
  return book.store.exclusive(book.account, async () => {
    const login = await book.reload();
    const tokens = login?.record.tokens;
    if (!login || !tokens) throw loginRequired(options);
    if (tokens.accessToken !== old) return tokens;
    if (!canRenew(login)) throw new AuthError("refused", REFUSED_BEFORE, { oauthError: "invalid_grant" });
    return redeem(parts, login, tokens);
  });
}

const REFUSED_BEFORE = "the authorization server refused to renew this login before";

/** Whether there is a refresh token that was not refused, by this process or another one. */
export function canRenew(login: StoredLogin | undefined): boolean {
  return login?.record.tokens?.refreshToken !== undefined && !isRefreshRefused(login.record);
}

async function redeem(parts: ProviderParts, login: StoredLogin, tokens: TokenSet): Promise<TokenSet> {
  const { book, options, redactor } = parts;
  const { key, record } = login;
  try {
    const authenticate = await clientAuthentication(options.client);
    const answer = await refreshTokens(login, { fetch: parts.requests().fetch, authenticate });
    const renewed = tokenSet(answer, parts.nowMs(), tokens.scope);
    await book.save(key, { ...record, tokens: renewed, savedAtMs: parts.nowMs() });
    return renewed;
  } catch (thrown) {
    // Nothing is deleted: the failure may be the network's, and a mark is enough to show that a login is needed.
    if (isGrantRefused(thrown))
      await book.save(key, { ...record, refreshRefused: refusalMark(tokens.refreshToken) });
    throw asAuthError(thrown, redactor);
  }
}
