import type { AddClientAuthentication, StoredOAuthClientInformation } from "@modelcontextprotocol/client";
import { definedMembers } from "../../../core/internal.ts";
import type { OAuthClient } from "../oauth-options.ts";

export type Authenticate = AddClientAuthentication;

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
