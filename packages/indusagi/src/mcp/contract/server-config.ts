import type {
  MessageTransport,
  OAuthSettings,
  TokenProvider,
  TokenStore,
  ToolOverride,
} from "../../interop/contract/index.ts";

/** A server that is started as a process. Unlike interop's type of the same name it has no `id` and no `kind`. */
export interface StdioServerConfig {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the small safe environment that every server gets. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** Variables whose values commands write: a program and its arguments, run at every start. */
  readonly fromCommand?: { readonly [name: string]: readonly string[] };
}

/** A server behind HTTP. */
export interface HttpServerConfig {
  readonly url: string | URL;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string };
  /** Headers whose values commands write: a program and its arguments, run at every connection. */
  readonly fromCommand?: { readonly [name: string]: readonly string[] };
  /** How to log in, if the authorization server does not register clients by itself; false: never. */
  readonly oauth?: OAuthSettings | false;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The only transport to try. Default: Streamable HTTP, then SSE. */
  readonly type?: "streamable-http" | "sse";
}

/** Provides the bearer tokens for a server behind HTTP, e.g. one of `createOAuthProvider` in `indusagi/interop`. */
export type MCPAuthProvider = TokenProvider;

/** How to reach one server. */
export type MCPServerConfig = StdioServerConfig | HttpServerConfig;

/** One server to connect to. */
export interface MCPConnectionOptions {
  readonly name: string;
  readonly config: MCPServerConfig;
  /** Milliseconds for connecting, for a listing and for a call. Progress restarts the time of a call. Default 60,000. */
  readonly timeout?: number;
  readonly auth?: MCPAuthProvider;
  /** Where logins are kept. With it, and without `auth`, a server that requires OAuth is used with the login in the store. */
  readonly tokenStore?: TokenStore;
  /** Creates the transport to a server that already runs, e.g. one side of `linkedTransports()`. Called for every connection. */
  readonly transport?: () => MessageTransport;
  /** The only tools to list, by their names on the server. Default: all. */
  readonly includeTools?: readonly string[];
  /** Tools that are not listed, even if they are in `includeTools`. */
  readonly excludeTools?: readonly string[];
  /** Other names and descriptions for the tools of a pool, by their names on the server. */
  readonly toolOverrides?: { readonly [tool: string]: ToolOverride };
  /** True: the `baggage` in a `_meta` is sent to this server. It may hold data about users. Default false. */
  readonly passBaggage?: boolean;
  /** True: a row of a project that is not approved. It is listed and never started. Never saved to a file. */
  readonly pending?: boolean;
}

/** One server of a configuration file. If there are both a `url` and a `command`, the `url` is used. */
export interface MCPServerConfigEntry {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  /** The only transport to try for a server behind HTTP. */
  readonly type?: "stdio" | "streamable-http" | "http" | "sse";
  /** Milliseconds. */
  readonly timeout?: number;
  /** With false the server is not connected. */
  readonly enabled?: boolean;
}

/** A configuration file, with the servers as a list or by name. */
export interface MCPConfigFile {
  readonly servers:
    | readonly MCPServerConfigEntry[]
    | { readonly [name: string]: Omit<MCPServerConfigEntry, "name"> };
}
