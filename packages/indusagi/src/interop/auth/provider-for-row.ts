import { definedMembers } from "../../core/internal.ts";
import type { ServerConfig } from "../contract/index.ts";
import type { OAuthProviderOptions } from "./oauth-options.ts";
import { createOAuthProvider, type OAuthProvider } from "./oauth-provider.ts";

/** The options that a row does not contain. */
export type RowProviderOptions = Omit<
  OAuthProviderOptions,
  "serverUrl" | "client" | "clientMetadataUrl" | "authorizationServer" | "scopes"
>;

/** The provider for a row; `undefined` for a process, and for a row that disables OAuth or sets an `Authorization` header. */
export function oauthProviderFor(
  config: ServerConfig,
  options: RowProviderOptions = {},
): OAuthProvider | undefined {
  if (config.kind === "stdio" || config.oauth === false || hasOwnToken(config)) return undefined;
  const { clientId: id, clientSecret: secret, scopes, authorizationServer } = config.oauth ?? {};
  // An id that is a URL names a document about the client. If the server does not take one, the client registers itself.
  const isDocument = secret === undefined && id?.startsWith("https://") === true;
  const given = definedMembers({
    client: id === undefined || isDocument ? undefined : definedMembers({ id, secret }),
    clientMetadataUrl: isDocument ? id : undefined,
    scopes,
    authorizationServer,
  });
  return createOAuthProvider({ ...options, serverUrl: config.url, ...given });
}

function hasOwnToken({ headers, fromCommand }: Exclude<ServerConfig, { kind: "stdio" }>): boolean {
  return Object.keys({ ...headers, ...fromCommand }).some((name) => name.toLowerCase() === "authorization");
}
