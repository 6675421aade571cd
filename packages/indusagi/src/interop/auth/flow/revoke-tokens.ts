import type { ClientAuthMethod } from "@modelcontextprotocol/client";
import type { StoredLogin } from "../../contract/index.ts";
import type { RefreshOptions } from "./refresh-tokens.ts";

/** Tells the issuer that a login is over, if it can be told. Never rejects: the login is forgotten here in any case. */
export async function revokeTokens(
  { record: { client, metadata, tokens } }: StoredLogin,
  { fetch: send, authenticate }: RefreshOptions,
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
    // The issuer is unreachable, or does not know the token any more.
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
