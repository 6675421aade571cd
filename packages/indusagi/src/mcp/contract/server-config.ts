import type { MessageTransport } from "../../interop/contract/index.ts";

/** A server that is a program to start. Not interop's type of the same name: no id and no tag, and `command` tells it apart. */
export interface StdioServerConfig {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the short safe environment every server gets. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

/** A server behind HTTP. */
export interface HttpServerConfig {
  readonly url: string | URL;
  /** Sent with every request. */
  readonly headers?: { readonly [name: string]: string };
  /** Makes the requests in the place of the platform's own. */
  readonly fetch?: typeof fetch;
  /** Pins the transport. Without it Streamable HTTP is tried first, then SSE. */
  readonly type?: "streamable-http" | "sse";
}

/** Gives a bearer token for a server behind HTTP, and hears that it was refused. */
export interface MCPAuthProvider {
  token(): Promise<string | undefined>;
  onUnauthorized?(context: { readonly response: Response; readonly serverUrl: URL }): Promise<void>;
}

/** How to reach one server. */
export type MCPServerConfig = StdioServerConfig | HttpServerConfig;

/** One server to connect to, under the name it goes by. */
export interface MCPConnectionOptions {
  readonly name: string;
  readonly config: MCPServerConfig;
  /** Milliseconds for connecting, for a listing and for a call, which progress starts anew. Default 60,000. */
  readonly timeout?: number;
  readonly auth?: MCPAuthProvider;
  /** Gives a way to a server that runs already, e.g. a side of `linkedTransports()`; asked at every connect. */
  readonly transport?: () => MessageTransport;
  /** The only tools to be listed, by the server's own names. Default: all. */
  readonly includeTools?: readonly string[];
  /** Tools not to be listed; goes before `includeTools`. */
  readonly excludeTools?: readonly string[];
}
