/** How a server is reached. */
export type TransportKind = "stdio" | "sse" | "streamable-http";

/** Time limits for a server, in milliseconds. An absent one takes the bridge's value, then the default. */
export interface ServerTimeouts {
  /** For connecting. Default 30 s. */
  readonly connectMs?: number;
  /** For one listing, all pages together. Default 30 s. */
  readonly listMs?: number;
  /** For one call; each progress notification restarts it. Default 120 s. */
  readonly callMs?: number;
  /** For one call in total, with or without progress. Default 10 min. */
  readonly totalMs?: number;
}

/**
 * Who shares one instance of a server: all callers, the calls of one principal, or the calls of one session. Our own calls,
 * which have no caller, use an instance of their own.
 */
export type ConnectionSharing = "fleet" | "principal" | "session";

/** How a tool is shown instead of under the name and description that its server gives it. */
export interface ToolOverride {
  /** The part of the shown name that stands for the tool. */
  readonly name?: string;
  readonly description?: string;
}

/**
 * What happens when a server changes a tool, a prompt or its instructions after they were first seen. `off`: nothing.
 * `warn`: the new form is used and the change is reported. `hold`: an approved text stays in use, and a dangerous change
 * withholds the tool. `quarantine`: every change withholds it.
 */
export type PinLevel = "off" | "warn" | "hold" | "quarantine";

interface AnyServerConfig {
  /** Names the server; unique in a bridge. */
  readonly id: string;
  readonly timeouts?: ServerTimeouts;
  /** Default `fleet`. */
  readonly share?: ConnectionSharing;
  /** False: the server is listed but not started. Default true. */
  readonly enabled?: boolean;
  /**
   * True: a row of a project that is not approved. It is listed as `untrusted` and never started. Set by those who
   * read files; never read from a file nor written to one.
   */
  readonly pending?: boolean;
  /** True: a program that mounts this server should not start without it. Default false. */
  readonly required?: boolean;
  /**
   * True: started by its first call; until then it offers what is known about it. False: started with the others. Default: as the
   * fleet says.
   */
  readonly lazy?: boolean;
  /** Stop it after this time without use, in milliseconds; the next call starts it. Default: never, or 5 min if `lazy` is true. */
  readonly idleMs?: number;
  /** Show only these tools of the server, by the server's own names. Default: all. */
  readonly includeTools?: readonly string[];
  /** Hide these tools of the server, by its own names. Takes precedence over `includeTools`. */
  readonly excludeTools?: readonly string[];
  /** Other names and descriptions for tools of the server, by its own names. Calls reach it under its own name. */
  readonly toolOverrides?: { readonly [tool: string]: ToolOverride };
  /** What happens when the server changes a tool. A bridge without a `toolReview` ignores it. Default `hold`. */
  readonly pin?: PinLevel;
  /**
   * Values that commands write: variables of a process, or headers of a server behind HTTP. Each is a program and its arguments,
   * run without a shell at every start of the server.
   */
  readonly fromCommand?: { readonly [name: string]: readonly string[] };
}

/** A server that we start as a process and talk to over its standard input and output. */
export interface StdioServerConfig extends AnyServerConfig {
  readonly kind: "stdio";
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the small safe environment that every server gets. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
}

interface HttpServerConfig extends AnyServerConfig {
  readonly url: string;
  /** Sent with every request, for example a static bearer token. */
  readonly headers?: { readonly [name: string]: string };
  /** False: the server is never logged in to. */
  readonly oauth?: OAuthSettings | false;
  /** What to do if the server does not speak `kind`: try the other HTTP transport, or give up. Default `fallback`. */
  readonly onMismatch?: "fallback" | "fail";
}

/** How to log in to a server that requires OAuth. Without them the client registers itself. */
export interface OAuthSettings {
  /** A client that is registered with the authorization server; or the https URL of a document that describes one. */
  readonly clientId?: string;
  /** Sent to the authorization server only; needs `authorizationServer`. */
  readonly clientSecret?: string;
  /** Default: those that the server asks for. */
  readonly scopes?: readonly string[];
  /** The port for the answer of the authorization server, if it must be a certain one. Default: a free one. */
  readonly callbackPort?: number;
  /** The host in the address for that answer: a name of this machine. Default `127.0.0.1`. */
  readonly callbackHost?: string;
  /** The issuer of the authorization server. Default: the one that the server names. */
  readonly authorizationServer?: string;
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

/** The servers to connect to. If two have the same id, the later one is used. */
export interface BridgeConfig {
  readonly servers: readonly ServerConfig[];
  /** For servers without time limits of their own. */
  readonly timeouts?: ServerTimeouts;
}
