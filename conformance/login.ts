// Logs in as the conformance suite wants it: the authorization server of the suite answers without a person.
import {
  type AssertionRequest,
  createOAuthProvider,
  type OAuthGrant,
  type OAuthProvider,
  type OAuthProviderOptions,
} from "indusagi/interop";

/** What the suite tells about clients that are registered already. */
export interface LoginContext {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  /** An assertion about a workload. */
  readonly valid_jwt?: string;
  /** The identity provider of a company, and what it says about its user. */
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_token_endpoint?: string;
}

const REDIRECT_URL = "http://localhost:3000/callback";

/** The client of the suite has its description at this address. */
const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

export async function loginFor(
  scenario: string,
  serverUrl: string,
  context: LoginContext,
): Promise<OAuthProvider> {
  const { client_id: id, client_secret: secret, private_key_pem: privateKey } = context;
  const options: OAuthProviderOptions = {
    serverUrl,
    clientMetadataUrl: CLIENT_METADATA_URL,
    requestMs: 170_000,
    interaction: { redirectUrl: REDIRECT_URL, authorize: followRedirect },
  };
  if (id === undefined) return createOAuthProvider(options);
  return createOAuthProvider({
    ...options,
    // A user would write it beside the secret.
    authorizationServer: await namedAuthorizationServer(serverUrl),
    client: {
      id,
      ...(secret === undefined ? {} : { secret }),
      ...(privateKey === undefined ? {} : { privateKey, algorithm: context.signing_algorithm ?? "ES256" }),
    },
    grant: grantFor(scenario, context),
  });
}

function grantFor(scenario: string, context: LoginContext): OAuthGrant {
  const { valid_jwt: workload, idp_id_token: idToken } = context;
  if (scenario.startsWith("auth/client-credentials")) return { kind: "client_credentials" };
  if (workload !== undefined) return { kind: "jwt_bearer", assertion: async () => workload };
  if (idToken !== undefined)
    return { kind: "jwt_bearer", assertion: (request) => exchangedAssertion(idToken, request, context) };
  return { kind: "authorization_code" };
}

/** Exchanges the user's identity for an assertion to one authorization server (RFC 8693), at the identity provider. */
async function exchangedAssertion(
  idToken: string,
  { issuer, resource = "" }: AssertionRequest,
  { idp_client_id: clientId = "", idp_token_endpoint: endpoint = "" }: LoginContext,
): Promise<string> {
  const body = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    subject_token: idToken,
    audience: issuer,
    resource,
    client_id: clientId,
  });
  const response = await fetch(endpoint, { method: "POST", body });
  const { access_token: assertion } = (await response.json()) as { readonly access_token?: string };
  if (assertion === undefined) throw new Error("the identity provider gave no assertion");
  return assertion;
}

/** The browser of the suite: asks for the page and takes the answer from the redirect. */
async function followRedirect(url: URL): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: "manual" });
  const target = response.headers.get("location");
  if (target === null) throw new Error(`no redirect from ${url.origin}`);
  return new URL(target).searchParams;
}

async function namedAuthorizationServer(serverUrl: string): Promise<string> {
  const { pathname, origin } = new URL(serverUrl);
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`, {
    headers: { connection: "close" },
  });
  const { authorization_servers: [server] = [] } = (await response.json()) as {
    readonly authorization_servers?: readonly string[];
  };
  if (server === undefined) throw new Error("the suite names no authorization server");
  return server;
}
