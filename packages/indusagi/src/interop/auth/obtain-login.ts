import { definedMembers } from "../../core/internal.ts";
import type { StoredLogin } from "../contract/index.ts";
import { asAuthError } from "./flow/auth-fetch.ts";
import type { Challenge } from "./flow/challenge.ts";
import { FlowClient, type FlowResult } from "./flow/flow-client.ts";
import { runLogin } from "./flow/run-login.ts";
import { clientAuthentication, configuredClient } from "./flow/token-requests.ts";
import { accountIn, isRefreshRefused, tokenSet } from "./flow/token-set.ts";
import { loginRequired, type ProviderParts } from "./provider-parts.ts";

/** Why a new login is needed, and for which scopes. */
export interface WantedLogin {
  /** The status of the request that was refused. Absent: the user asked for the login. */
  readonly status?: number;
  readonly challenge: Challenge;
  readonly scope: string | undefined;
}

/** Logs in and stores the tokens. Rejects with an `AuthError`, immediately if a person is needed and cannot be asked. */
export async function obtainLogin(
  parts: ProviderParts,
  { status = 401, challenge, scope }: WantedLogin,
): Promise<void> {
  const { interaction, grant = { kind: "authorization_code" } } = parts.options;
  const isInteractive = grant.kind === "authorization_code";
  if (isInteractive && !interaction) throw loginRequired(parts.options, { status, scope: challenge.scope });
  const redirectUrl = isInteractive ? interaction?.redirectUrl : undefined;
  const client = await flowClient(parts, redirectUrl);
  try {
    const result = await runLogin(
      { serverUrl: parts.serverUrl, resourceMetadataUrl: challenge.resourceMetadataUrl, scope },
      { client, requests: parts.requests(), policy: parts.policy, interaction },
    );
    await saveLogin(parts, result, { client, scope, redirectUrl });
  } catch (thrown) {
    throw asAuthError(thrown, parts.redactor);
  }
}

async function flowClient(
  { cache, options }: ProviderParts,
  redirectUrl: string | undefined,
): Promise<FlowClient> {
  const { clientName = "Indus", clientMetadataUrl, client, authorizationServer } = options;
  const logins = await cache.store.find(cache.account);
  return new FlowClient({
    redirectUrl,
    clientName,
    clientMetadataUrl,
    authorizationServer,
    grant: options.grant ?? { kind: "authorization_code" },
    canRegister: client === undefined,
    authenticate: await clientAuthentication(client),
    clientFor: (issuer) =>
      client ? configuredClient(client, authorizationServer) : registeredClient(logins, issuer, redirectUrl),
  });
}

/** The client registered with this issuer for this redirect URL. One whose grants were refused is registered again. */
function registeredClient(
  logins: readonly StoredLogin[],
  issuer: string,
  redirectUrl: string | undefined,
): { client_id: string; issuer: string } | undefined {
  const login = logins.find(({ key }) => key.issuer === issuer);
  if (!login || login.record.redirectUrl !== redirectUrl || isRefreshRefused(login.record)) return undefined;
  const { client_id: id } = login.record.client;
  return typeof id === "string" ? { ...login.record.client, client_id: id, issuer } : undefined;
}

interface SavedParts {
  readonly client: FlowClient;
  readonly scope: string | undefined;
  readonly redirectUrl: string | undefined;
}

async function saveLogin(
  parts: ProviderParts,
  { issuer, client, tokens, discovery }: FlowResult,
  saved: SavedParts,
): Promise<void> {
  const { cache } = parts;
  const metadata = discovery?.authorizationServerMetadata;
  const savedAtMs = parts.nowMs();
  const record = definedMembers({
    client: { ...client },
    tokens: tokenSet(tokens, savedAtMs, saved.scope),
    savedAtMs,
    redirectUrl: saved.redirectUrl,
    metadata: metadata && { ...metadata },
    resource: saved.client.resource,
    account: accountIn(tokens.id_token),
  });
  await cache.store.exclusive(cache.account, () => cache.save({ ...cache.account, issuer }, record));
}
