import type {
  AuthorizationServerMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { StoredLogin } from "../../contract/index.ts";
import { AuthError } from "../auth-error.ts";
import type { Authenticate } from "./client-authentication.ts";

export interface RefreshOptions {
  readonly fetch: typeof fetch;
  readonly authenticate?: Authenticate | undefined;
}

/**
 * Redeems the refresh token of a login at the authorization server that issued it. Whom the MCP server names now plays no part.
 */
export async function refreshTokens(
  { key, record }: StoredLogin,
  { fetch: fetchFn, authenticate }: RefreshOptions,
): Promise<StoredOAuthTokens> {
  const { refreshAuthorization } = await import("@modelcontextprotocol/client");
  const metadata = record.metadata as AuthorizationServerMetadata | undefined;
  const refreshToken = record.tokens?.refreshToken;
  if (refreshToken === undefined) throw new AuthError("refused", "there is no refresh token");
  const tokens = await refreshAuthorization(key.issuer, {
    ...(metadata ? { metadata } : {}),
    clientInformation: record.client as unknown as StoredOAuthClientInformation,
    refreshToken,
    ...(record.resource === undefined ? {} : { resource: record.resource }),
    ...(authenticate ? { addClientAuthentication: authenticate } : {}),
    fetchFn,
  });
  return { ...tokens, issuer: key.issuer };
}
