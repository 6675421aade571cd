import type {
  AddClientAuthentication,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { definedMembers } from "../../../core/internal.ts";
import type { OAuthGrant } from "../oauth-options.ts";

export interface FlowClientOptions {
  readonly redirectUrl: string | undefined;
  readonly clientName: string;
  readonly clientMetadataUrl?: string | undefined;
  readonly grant: OAuthGrant;
  /** A client that the user configured, or that is already registered with the issuer. */
  readonly clientFor: (issuer: string) => StoredOAuthClientInformation | undefined;
  /** False: only the configured client may be used. */
  readonly canRegister: boolean;
  /** The authorization server that the user configured. */
  readonly authorizationServer?: string | undefined;
  readonly authenticate?: AddClientAuthentication | undefined;
}

/** What a flow obtained. */
export interface FlowResult {
  readonly issuer: string;
  readonly client: StoredOAuthClientInformation;
  readonly tokens: StoredOAuthTokens;
  readonly discovery: OAuthDiscoveryState | undefined;
}

/**
 * The SDK's view of us during one login: collects what the SDK finds out and decides nothing. It never returns tokens, so the
 * SDK does not renew any: renewals happen under a lock.
 */
export class FlowClient implements OAuthClientProvider {
  readonly redirectUrl: string | undefined;
  readonly clientMetadata: OAuthClientMetadata;
  readonly clientMetadataUrl?: string;
  readonly addClientAuthentication?: AddClientAuthentication;
  readonly saveClientInformation?: NonNullable<OAuthClientProvider["saveClientInformation"]>;
  readonly prepareTokenRequest?: NonNullable<OAuthClientProvider["prepareTokenRequest"]>;
  /** Random; must match the answer. */
  readonly sentState: string = process.getBuiltinModule("node:crypto").randomBytes(32).toString("base64url");
  /** The page where the user logs in. */
  authorizationUrl: URL | undefined;
  /** The `resource` that tokens are requested for. */
  resource: string | undefined;
  readonly #options: FlowClientOptions;
  #issuer: string | undefined;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = "";

  constructor(options: FlowClientOptions) {
    const { redirectUrl, clientName, clientMetadataUrl, authorizationServer, authenticate } = options;
    this.#options = options;
    this.redirectUrl = redirectUrl;
    this.clientMetadata = definedMembers({
      client_name: clientName,
      redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
      grant_types: grantTypes(options.grant),
      response_types: redirectUrl === undefined ? undefined : ["code"],
    });
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
    if (authorizationServer !== undefined) this.#discovery = { authorizationServerUrl: authorizationServer };
    if (authenticate) this.addClientAuthentication = authenticate;
    // Without this method the SDK refuses any authorization server but the configured client's.
    if (options.canRegister)
      this.saveClientInformation = (client) => {
        this.#client = client;
      };
    if (options.grant.kind !== "authorization_code")
      this.prepareTokenRequest = (scope) => this.#tokenRequest(scope);
  }

  /** `undefined` before the end of the flow. */
  get result(): FlowResult | undefined {
    const client = this.#issuer === undefined ? undefined : this.clientInformation({ issuer: this.#issuer });
    if (this.#issuer === undefined || !client || !this.#tokens) return undefined;
    return { issuer: this.#issuer, client, tokens: this.#tokens, discovery: this.#discovery };
  }

  state(): string {
    return this.sentState;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    return this.#client ?? this.#options.clientFor(context?.issuer ?? "");
  }

  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveAuthorizationServerUrl(issuer: string): void {
    this.#issuer = issuer;
  }

  saveResourceUrl(resource: string): void {
    this.resource = resource;
  }

  async #tokenRequest(scope: string | undefined): Promise<URLSearchParams> {
    const { grant } = this.#options;
    const params = new URLSearchParams(scope === undefined ? {} : { scope });
    params.set("grant_type", grantTypes(grant)[0] ?? "");
    if (grant.kind === "jwt_bearer") {
      const assertion = await grant.assertion({ issuer: this.#issuer ?? "", resource: this.resource, scope });
      params.set("assertion", assertion);
    }
    return params;
  }
}

function grantTypes({ kind }: OAuthGrant): string[] {
  if (kind === "client_credentials") return ["client_credentials"];
  if (kind === "jwt_bearer") return ["urn:ietf:params:oauth:grant-type:jwt-bearer"];
  return ["authorization_code", "refresh_token"];
}
