import type {
  AddClientAuthentication,
  AuthorizationServerMetadata,
  ClientAuthMethod,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { definedMembers } from "../../../core/internal.ts";
import type { StoredLogin } from "../../contract/index.ts";
import { AuthError } from "../auth-error.ts";
import type { OAuthClient } from "../oauth-options.ts";

interface TokenRequestOptions {
  readonly fetch: typeof fetch;
  readonly authenticate?: Authenticate | undefined;
}

/**
 * Redeems the refresh token of a login at the authorization server that issued it, whatever the MCP server names now.
 */
export async function refreshTokens(
  { key, record }: StoredLogin,
  { fetch: fetchFn, authenticate }: TokenRequestOptions,
): Promise<StoredOAuthTokens> {
  const { refreshAuthorization } = await import("@modelcontextprotocol/client");
  const metadata = record.metadata as AuthorizationServerMetadata | undefined;
  const refreshToken = record.tokens?.refreshToken;
  if (refreshToken === undefined) throw new AuthError("refused", "there is no refresh token");
  const options = definedMembers({
    metadata,
    clientInformation: record.client as unknown as StoredOAuthClientInformation,
    refreshToken,
    resource: record.resource,
    addClientAuthentication: authenticate,
    fetchFn,
  });
  const tokens = await refreshAuthorization(key.issuer, options);
  return { ...tokens, issuer: key.issuer };
}

/** Revokes a login at its issuer, if the issuer supports that. Never rejects: the login is deleted here in any case. */
export async function revokeLogin(
  { record: { client, metadata, tokens } }: StoredLogin,
  { fetch: send, authenticate }: TokenRequestOptions,
): Promise<void> {
  const endpoint = metadata?.["revocation_endpoint"];
  const clientId = client["client_id"];
  if (typeof endpoint !== "string" || typeof clientId !== "string" || !tokens) return;
  const { refreshToken, accessToken } = tokens;
  const body = new URLSearchParams({
    token: refreshToken ?? accessToken,
    token_type_hint: refreshToken === undefined ? "access_token" : "refresh_token",
  });
  const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
  try {
    const { assertSecureTokenEndpoint, selectClientAuthMethod } = await import(
      "@modelcontextprotocol/client"
    );
    const url = assertSecureTokenEndpoint(endpoint);
    const secret = typeof client["client_secret"] === "string" ? client["client_secret"] : undefined;
    const supported = metadata?.["token_endpoint_auth_methods_supported"];
    const method = selectClientAuthMethod(
      { ...client, client_id: clientId },
      Array.isArray(supported) ? supported : [],
    );
    if (authenticate) await authenticate(headers, body, url);
    else identify({ method, clientId, secret, headers, body });
    await send(url, { method: "POST", headers, body });
  } catch {
    // The issuer is unreachable, or no longer knows the token.
  }
}

interface Identity {
  readonly method: ClientAuthMethod;
  readonly clientId: string;
  readonly secret: string | undefined;
  readonly headers: Headers;
  readonly body: URLSearchParams;
}

function identify({ method, clientId, secret, headers, body }: Identity): void {
  if (method === "client_secret_basic" && secret !== undefined) {
    const credentials = Buffer.from(`${clientId}:${secret}`).toString("base64");
    headers.set("authorization", `Basic ${credentials}`);
    return;
  }
  body.set("client_id", clientId);
  if (method === "client_secret_post" && secret !== undefined) body.set("client_secret", secret);
}

type Authenticate = AddClientAuthentication;

/** Signs an assertion for each token request if the client has a key; otherwise the SDK uses the secret, if any. */
export async function clientAuthentication(
  client: OAuthClient | undefined,
): Promise<Authenticate | undefined> {
  if (client?.privateKey === undefined) return undefined;
  const { createPrivateKeyJwtAuth } = await import("@modelcontextprotocol/client");
  const { id, privateKey, algorithm: alg = "RS256" } = client;
  return createPrivateKeyJwtAuth({ issuer: id, subject: id, privateKey, alg });
}

/** A configured client in the SDK's form. With an issuer, it is used only at that authorization server. */
export function configuredClient(
  { id, secret }: OAuthClient,
  issuer: string | undefined,
): StoredOAuthClientInformation {
  return definedMembers({ client_id: id, client_secret: secret, issuer });
}
