import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

export interface LoginServerOptions {
  readonly era?: "legacy" | "modern" | "both";
  /** Seconds. Default 3600. */
  expiresIn?: number;
  hasRefresh?: boolean;
  idToken?: string;
  /** Members of the metadata of the authorization server. */
  metadata?: { readonly [member: string]: unknown };
  /** Members of the metadata of the MCP server; `null` if it has none. */
  resource?: { readonly [member: string]: unknown } | null;
  /** Where a 401 says that the metadata of the MCP server is. */
  resourceMetadataUrl?: string;
  /** Parameters of the answer to a login. */
  answer?: { readonly [name: string]: string | undefined };
  denies?: boolean;
  /** The scope that a request to the MCP server needs. */
  requires?: (request: IncomingMessage) => string | undefined;
  /** Returns what the token endpoint answers instead of a token. */
  tokenFailure?: (form: {
    readonly [name: string]: string;
  }) => { readonly status: number; readonly json?: unknown } | undefined;
  tokenDelayMs?: number;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly query: string;
}

export interface LoginServer {
  /** The MCP server. */
  readonly url: string;
  readonly issuer: string;
  readonly options: LoginServerOptions;
  readonly seen: readonly SeenRequest[];
  readonly counts: {
    readonly redemptions: number;
    readonly registrations: number;
    readonly refusals: number;
    readonly authorizations: number;
  };
  readonly refreshTokens: Map<string, unknown>;
  expire(): void;
  close(): Promise<void>;
}

export function serveLogin(options?: LoginServerOptions): Promise<LoginServer>;
