import type { Clock, ResolveHost } from "../../core/index.ts";
import type { TokenStore } from "../contract/index.ts";

/** A client that was registered with the authorization server manually. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  /** Signs assertions instead of a secret (`private_key_jwt`): PKCS #8 as PEM. */
  readonly privateKey?: string;
  /** The algorithm of the key. Default `RS256`. */
  readonly algorithm?: string;
}

/** What an assertion is for. */
export interface AssertionRequest {
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/**
 * How tokens are obtained: by a person in a browser (the default), with the client's own credentials, or with an assertion signed
 * by a third party (`jwt-bearer`).
 */
export type OAuthGrant =
  | { readonly kind: "authorization_code" }
  | { readonly kind: "client_credentials" }
  | { readonly kind: "jwt_bearer"; readonly assertion: (request: AssertionRequest) => Promise<string> };

/** Lets a person log in. Only given by a program that the user started for this purpose. */
export interface LoginInteraction {
  /** Where the authorization server sends its answer. */
  readonly redirectUrl: string;
  /** Shows the URL to the user and returns the parameters of the answer. Rejects if there is none. */
  authorize(url: URL): Promise<URLSearchParams>;
}

export interface OAuthProviderOptions {
  /** The URL of the MCP server as the user wrote it. */
  readonly serverUrl: string | URL;
  /** Default: in memory. */
  readonly store?: TokenStore;
  /** Which of several users of this program the tokens belong to. Default `default`. */
  readonly principal?: string;
  /** Default: the client registers itself. */
  readonly client?: OAuthClient;
  /** The https URL of a document that describes this client, for authorization servers that take one as the client's id. */
  readonly clientMetadataUrl?: string;
  /** Default `Indus`. */
  readonly clientName?: string;
  /**
   * The issuer of the authorization server. Default: the one that the MCP server names. Required with a secret, a key or an
   * assertion, because otherwise the MCP server could have it sent anywhere.
   */
  readonly authorizationServer?: string;
  /** Default: the ones the server asks for. */
  readonly scopes?: readonly string[];
  readonly grant?: OAuthGrant;
  /** Absent: the user is never prompted, and a login that needs a person is an error. */
  readonly interaction?: LoginInteraction;
  /** Ignore stored tokens until the next login, because the user asked for a new one. Default false. */
  readonly relogin?: boolean;
  /** How the user logs in, shown in errors and the status. Default `log in to it`. */
  readonly loginHint?: string;
  /** Used instead of the network. Addresses are checked first. */
  readonly fetch?: typeof fetch;
  readonly resolve?: ResolveHost;
  /** Called with a problem that does not prevent requests, such as an unusable `SSL_CERT_FILE`. */
  readonly note?: (message: string) => void;
  /** Time limit for one request to an authorization server. Default 20 s. */
  readonly requestMs?: number;
  readonly clock?: Clock;
}
