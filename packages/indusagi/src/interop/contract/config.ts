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
  /** Total time for one call, regardless of progress. Default 10 min. */
  readonly totalMs?: number;
}

/** The default of `totalMs`. */
export const CALL_TOTAL_MS = 600_000;

/**
 * Who shares one instance of a server: all callers, the calls of one principal, or the calls of one session. Our own calls,
 * which have no caller, use a separate instance. `user`: all callers, and where fleets share instances, those in other folders too.
 */
export type ConnectionSharing = "fleet" | "user" | "principal" | "session";

/** Whether all callers of a fleet share the server. */
export function isSharedByAll({ share = "fleet" }: { readonly share?: ConnectionSharing }): boolean {
  return share === "fleet" || share === "user";
}

/** Overrides the name and description that a server gives a tool. */
export interface ToolOverride {
  /** Replaces the tool's part of the shown name. */
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
   * True: a row of a project that is not approved. It is listed as `untrusted` and never started. Set by the code that
   * reads files; never read from or written to a file.
   */
  readonly pending?: boolean;
  /** True: a program that uses this server should not start without it. Default false. */
  readonly required?: boolean;
  /**
   * True: started by its first call; until then its remembered tools are offered. False: started with the others. Default: decided
   * by the fleet.
   */
  readonly lazy?: boolean;
  /** Stop it after being idle for this many milliseconds; the next call starts it again. Default: never, or 5 min if `lazy` is true. */
  readonly idleMs?: number;
  /** True: a session's `saas-action` runs the tools of this server. Programs that embed a bridge choose one themselves. Default false. */
  readonly connectors?: boolean;
  /** True: the `baggage` of a caller's trace context is sent to this server. It may hold data about users. Default false. */
  readonly passBaggage?: boolean;
  /**
   * The beginnings of methods that belong to this server's extensions, such as `com.example/`. A gateway for many servers sends their
   * requests here; the route of this server alone needs none. Default: none.
   */
  readonly extensionMethods?: readonly string[];
  /** Show only these tools of the server, by the server's own names. Default: all. */
  readonly includeTools?: readonly string[];
  /** Hide these tools of the server, by the server's own names. Takes precedence over `includeTools`. */
  readonly excludeTools?: readonly string[];
  /** Other names and descriptions for tools, by the server's own names. Calls still use the server's own name. */
  readonly toolOverrides?: { readonly [tool: string]: ToolOverride };
  /** What happens when the server changes a tool. A bridge without a `toolReview` ignores it. Default `hold`. */
  readonly pin?: PinLevel;
  /**
   * Values printed by commands: environment variables of a process, or HTTP headers. Each is a program and its arguments, run
   * without a shell at every start of the server.
   */
  readonly fromCommand?: { readonly [name: string]: readonly string[] };
}

/** A server that we start as a process and talk to over stdio. */
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
  /** False: never log in to this server. */
  readonly oauth?: OAuthSettings | false;
  /** What to do if the server does not speak `kind`: try the other HTTP transport, or give up. Default `fallback`. */
  readonly onMismatch?: "fallback" | "fail";
}

/** How to log in to a server that requires OAuth. By default the client registers itself. */
export interface OAuthSettings {
  /** A client registered with the authorization server, or the https URL of a document that describes one. */
  readonly clientId?: string;
  /** Sent to the authorization server only; needs `authorizationServer`. */
  readonly clientSecret?: string;
  /** Default: the ones the server asks for. */
  readonly scopes?: readonly string[];
  /** The port of the redirect URL, if it must be a fixed one. Default: any free port. */
  readonly callbackPort?: number;
  /** The host of the redirect URL: a name of this machine. Default `127.0.0.1`. */
  readonly callbackHost?: string;
  /** The issuer of the authorization server. Default: the one the server names. */
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
  /** For servers that set no time limits. */
  readonly timeouts?: ServerTimeouts;
}
