/** How a server is reached. */
export type TransportKind = "stdio" | "sse" | "streamable-http";

/** How long we wait for a server, in milliseconds. What is absent takes the bridge's value, then the default. */
export interface ServerTimeouts {
  /** Until the connection stands. Default 30 s. */
  readonly connectMs?: number;
  /** For one listing, all its pages together. Default 30 s. */
  readonly listMs?: number;
  /** For one call, started anew by every progress note. Default 120 s. */
  readonly callMs?: number;
  /** For one call whatever its progress. Default 10 min. */
  readonly totalMs?: number;
}

/** Who shares one connection: everybody, the calls of one principal, or the calls of one session. */
export type ConnectionSharing = "fleet" | "principal" | "session";

interface AnyServerConfig {
  /** Names the server; unique in a bridge. */
  readonly id: string;
  readonly timeouts?: ServerTimeouts;
  /** Default `fleet`. */
  readonly share?: ConnectionSharing;
  /** False: the server is known and shown, and not started. Default true. */
  readonly enabled?: boolean;
  /** Whether whoever mounts this server should give up without it. Default false. */
  readonly required?: boolean;
  /** The only tools of this server to be shown, by the server's own names. Default: all. */
  readonly includeTools?: readonly string[];
  /** Tools of this server not to be shown, by its own names; goes before `includeTools`. */
  readonly excludeTools?: readonly string[];
}

/** A server that is a program of ours to start, spoken to over its standard input and output. */
export interface StdioServerConfig extends AnyServerConfig {
  readonly kind: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the short safe environment every server gets. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

interface HttpServerConfig extends AnyServerConfig {
  readonly url: string;
  /** Sent with every request, e.g. a static bearer token. */
  readonly headers?: { readonly [name: string]: string };
  /** What to do when the server turns out not to speak `kind`: try the other HTTP transport, or give up. Default `fallback`. */
  readonly onMismatch?: "fallback" | "fail";
}

/** A server behind the older HTTP+SSE transport. */
export interface SseServerConfig extends HttpServerConfig {
  readonly kind: "sse";
}

/** A server behind Streamable HTTP. */
export interface StreamableHttpServerConfig extends HttpServerConfig {
  readonly kind: "streamable-http";
}

/** How to reach one server. */
export type ServerConfig = StdioServerConfig | SseServerConfig | StreamableHttpServerConfig;

/** The shortest configurations, without arguments or headers. */
export const ServerConfig: {
  stdio(id: string, command: string): StdioServerConfig;
  sse(id: string, url: string): SseServerConfig;
} = {
  stdio: (id, command) => ({ kind: "stdio", id, command }),
  sse: (id, url) => ({ kind: "sse", id, url }),
};

/** The servers to connect to. Of two with one id the later one counts. */
export interface BridgeConfig {
  readonly servers: readonly ServerConfig[];
  /** For servers that name none of their own. */
  readonly timeouts?: ServerTimeouts;
}
