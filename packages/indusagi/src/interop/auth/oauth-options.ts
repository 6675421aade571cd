import type { Clock, ResolveHost } from "../../core/index.ts";
import type { TokenStore } from "../contract/index.ts";

/** A client that was registered with the authorization server by hand. */
export interface OAuthClient {
  readonly id: string;
  readonly secret?: string;
  /** Signs assertions instead of a secret (`private_key_jwt`): PKCS #8 as PEM. */
  readonly privateKey?: string;
  /** The algorithm of the key. Default `RS256`. */
  readonly algorithm?: string;
}

/** What an assertion is made for. */
export interface AssertionRequest {
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
}

/**
 * How tokens are obtained: by a person in a browser (the default), with the client's own credentials, or with an assertion that
 * another party signed (`jwt-bearer`).
 */
export type OAuthGrant =
  | { readonly kind: "authorization_code" }
  | { readonly kind: "client_credentials" }
  | { readonly kind: "jwt_bearer"; readonly assertion: (request: AssertionRequest) => Promise<string> };

/** Lets a person log in. Only a program that a user started for this has one. */
export interface LoginInteraction {
  /** The address that the authorization server sends its answer to. */
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
   * assertion, which the MCP server could otherwise have sent to any place.
   */
  readonly authorizationServer?: string;
  /** Default: those that the server asks for. */
  readonly scopes?: readonly string[];
  readonly grant?: OAuthGrant;
  /** Absent: nothing is ever shown to a person, and a login that is needed is an error. */
  readonly interaction?: LoginInteraction;
  /** Ignores stored tokens until a login: the user asked for a new one. Default false. */
  readonly relogin?: boolean;
  /** What the user does to log in, for errors and the status. Default `log in to it`. */
  readonly loginHint?: string;
  /** Used instead of the network. Addresses are checked before. */
  readonly fetch?: typeof fetch;
  readonly resolve?: ResolveHost;
  /** How long one request to an authorization server may take. Default 20 s. */
  readonly requestMs?: number;
  readonly clock?: Clock;
}
