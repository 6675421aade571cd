import type { StoredLogin, TokenSet } from "../contract/index.ts";
import { isGrantRefused } from "./auth-error.ts";
import { asAuthError } from "./flow/auth-fetch.ts";
import { clientAuthentication } from "./flow/client-authentication.ts";
import { refreshTokens } from "./flow/refresh-tokens.ts";
import { tokenSet } from "./flow/token-set.ts";
import { loginRequired, type ProviderParts } from "./provider-parts.ts";

/** Redeems the refresh token, unless another process has done so since `old` was read. */
export function renewTokens(parts: ProviderParts, old: string): Promise<TokenSet> {
  const { book, options } = parts;
  return book.store.exclusive(book.account, async () => {
    const login = await book.reload();
    const tokens = login?.record.tokens;
    if (!login || !tokens) throw loginRequired(options);
    return tokens.accessToken === old ? redeem(parts, login, tokens) : tokens;
  });
}

/** Whether there is a refresh token that was not refused. */
export function canRenew(login: StoredLogin | undefined): boolean {
  return login?.record.tokens?.refreshToken !== undefined && login.record.refreshRefused !== true;
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
    if (isGrantRefused(thrown)) await book.save(key, { ...record, refreshRefused: true });
    throw asAuthError(thrown, redactor);
  }
}
