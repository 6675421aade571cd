import type {
  Answers,
  Caller,
  LogEntry,
  LogLevel,
  ProgressNote,
  Questions,
  Suspension,
  TaskWish,
  ToolBox,
  WireResult,
} from "../../runtime/index.ts";
import type { BridgeConfig, ServerConfig } from "./config.ts";
import type { ExtensionKey } from "./extensions.ts";
import type { ProtocolFault } from "./fault.ts";
import type { CacheHint } from "./host.ts";
import type { EndpointPhase } from "./phase.ts";
import type {
  RemoteCallResult,
  RemoteTool,
  SkippedTool,
  ToolDefinition,
  WithheldTool,
} from "./remote-tool.ts";
import type { ServerSession, SessionNotification } from "./session.ts";

export interface InvokeOptions {
  /** Cancels a call in flight: the server is notified and the caller's promise rejects at once. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The caller that this call is made for. It gets the server's questions; in the modern era its abilities are sent with
   * the request.
   */
  readonly caller?: Caller | undefined;
  /** `token` is the progress token of the request; a task that is polled has none. */
  readonly onProgress?: ((note: ProgressNote, token?: number) => void) | undefined;
  /** The request's `_meta`, passed on. */
  readonly meta?: { readonly [key: string]: unknown } | undefined;
  /** The tool's definition, if the caller knows it. Default: the one listed on this connection. */
  readonly definition?: ToolDefinition | undefined;
  /** The caller asks for a task, see `ToolCall.task`. */
  readonly task?: TaskWish | undefined;
}

/** The result of a call. */
export interface InvokeResult extends RemoteCallResult {
  /** The modern era's `input_required`, only for a caller that can handle it. */
  readonly suspended?: Suspension;
  /** The task that the call goes on as, only for a caller that follows tasks. */
  readonly task?: { readonly [member: string]: unknown };
  readonly wire: WireResult;
}

/** The result of a listing. */
export interface ToolListing {
  readonly tools: readonly RemoteTool[];
  readonly skipped: readonly SkippedTool[];
  /** True if the listing stopped at a limit and there is more. */
  readonly truncated: boolean;
  /** How long the server says that the listing may be used, from when it was asked. Absent if it says nothing. */
  readonly hint?: CacheHint | undefined;
  /** The extensions that were declared for it. Absent: none. */
  readonly extensions?: ExtensionKey | undefined;
}

/** What the phase does not show: why a server is not running, or that it is slow. */
export type ServerState =
  | "dormant"
  | "queued"
  | "installing"
  | "restarting"
  | "tripped"
  | "needs_login"
  | "untrusted"
  | "disabled"
  | "slow";

/** Signs of life of a server, for its supervisor. Listings and pings do not count as calls. */
export interface EndpointTraffic {
  /** Incremented by everything that arrives: output, standard error, HTTP response headers and bodies. */
  readonly received: number;
  /** Calls sent since something last arrived that have passed their deadline. Cancelled calls do not count. */
  readonly missed: number;
  /** Calls in flight. */
  readonly waiting: number;
  /** Calls the listener when `missed` has changed, or `waiting` while calls are missed. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Calls the listener when a call has been answered. Returns a function that removes the listener. */
  onAnswer(listener: () => void): () => void;
}

/** The current state of a server. */
export interface EndpointStatus {
  readonly server: string;
  readonly phase: EndpointPhase;
  readonly toolCount: number;
  readonly fault?: ProtocolFault;
  readonly state?: ServerState;
  /** Why the last listing of a connected server failed, in one line. Absent once a listing succeeds. */
  readonly listFailure?: string;
  /** Problems that are not fatal, such as output lines that are not messages. */
  readonly notes?: readonly string[];
  /** One line for each member of its row that names tools missing from the last listing. */
  readonly rowNotes?: readonly string[];
  /**
   * One line for each list with definitions that are left out, because they are unusable or because official clients would reject
   * the whole list. It names at most three, each with the reason. Absent if there are none.
   */
  readonly leftOut?: readonly string[];
  /** How many times the fleet has restarted it. */
  readonly restarts?: number;
  /** How many clients have their own instance. Absent if all clients share the server. */
  readonly instances?: number;
  /**
   * One line: why it cannot be used and what to do, such as what to start, where to log in, or what to change in its
   * configuration.
   */
  readonly summary?: string;
  /** The end of `summary` after a failure: what the user can do. */
  readonly remedy?: string;
  /** The last lines its process wrote to standard error, escaped for display. */
  readonly stderrTail?: string;
  /** At most three lines of standard error that say why its process ended, the reason first, escaped for display. */
  readonly stderrReason?: readonly string[];
}

/** Server id → status, in configuration order. */
export type FleetStatus = ReadonlyMap<string, EndpointStatus>;

/**
 * One connection to one server, for single use: once closed or faulted it stays so. Every failure is a
 * `ProtocolFault`.
 */
export interface ServerEndpoint {
  readonly config: ServerConfig;
  readonly phase: EndpointPhase;
  readonly traffic: EndpointTraffic;
  /** The process that was started for it, the root of its tree. Undefined without one. */
  readonly pid?: number | undefined;
  /** Connects. Concurrent callers share one attempt; an abort of one caller does not stop it. */
  open(signal?: AbortSignal): Promise<void>;
  /** The tools. Cached after the first listing and updated when the server reports a change. */
  listTools(): Promise<readonly RemoteTool[]>;
  /** The whole listing: what `listTools` returns, and what was left out. `extensions`: for clients that declared these. */
  listing(extensions?: ExtensionKey): Promise<ToolListing>;
  /**
   * The part of these extensions that the server's lists may depend on: those it declares itself. Empty for a server of the legacy
   * era, which is told only once what its clients can do, and while it is not connected.
   */
  listedFor(extensions: ExtensionKey): ExtensionKey;
  /**
   * How long the listed tools may still be used, and by whom. If the lifetime that the server stated is over and it reports no
   * changes, they are listed again first, which is waited for only briefly. Undefined without tools. Never rejects.
   */
  toolHint(extensions?: ExtensionKey): Promise<CacheHint | undefined>;
  /** Calls a tool by its name on the server. */
  invoke(name: string, args: unknown, options?: InvokeOptions): Promise<InvokeResult>;
  /** The raw connection. Throws a `not_connected` fault unless the endpoint is ready. */
  session(): ServerSession;
  status(): EndpointStatus;
  /** Calls the listener when a listing has changed, and with the first one for some extensions. Returns a function that removes the listener. */
  onToolsChanged(listener: (listing: ToolListing) => void): () => void;
  /** Calls the listener once when this endpoint ends: with its fault, or without one if it was closed. */
  onEnd(listener: (fault?: ProtocolFault) => void): () => void;
  /** Ends the connection and its process. Never rejects. */
  close(): Promise<void>;
}

/** The new tools of one server. Its withheld tools may have changed too. */
export interface CatalogueChange {
  readonly server: string;
  readonly tools: readonly RemoteTool[];
  /** The list is for clients with these extensions only. Absent: for those without any, and where there is no other. */
  readonly extensions?: ExtensionKey;
}

export interface AcquireOptions {
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * The tool to call, by the server's own name, and the list it is from. After a start it is called only when the server's new list
   * was reviewed; rejects with the reason `policy` if the tool is withheld by then.
   */
  readonly tool?: { readonly name: string; readonly extensions?: ExtensionKey | undefined } | undefined;
}

/** The right to use a server's endpoint for one call. */
export interface Lease {
  readonly endpoint: ServerEndpoint;
  release(): void;
}

/** The result of a reload, by server id. */
export interface ReloadReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Rows whose content changed: stopped and started again. */
  readonly changed: readonly string[];
  /** Rows whose content is the same: not touched. */
  readonly kept: readonly string[];
}

/** Many connections that start and stop together. A failing server does not affect the others. */
export interface ServerFleet {
  /** Starts the last configuration again with new endpoints. Rejects with `not_connected` if there was none. */
  spinUp(): Promise<void>;
  /** Closes all servers at the same time. Never rejects. */
  tearDown(): Promise<void>;
  /** The newest endpoint of a server. */
  endpoint(server: string): ServerEndpoint | undefined;
  /** The newest endpoints, in configuration order. */
  endpoints(): readonly ServerEndpoint[];
  status(): FleetStatus;
  /** The state of one server, without collecting those of the others. */
  statusOf(server: string): EndpointStatus | undefined;
  /** A usable endpoint: starts one, joins a start in progress, or rejects with a fault. */
  acquire(server: string, options?: AcquireOptions): Promise<Lease>;
  /** The same if it needs no waiting. Undefined: `acquire` waits, or says why there is none. */
  tryAcquire?(server: string, options?: AcquireOptions): Lease | undefined;
  /**
   * The last good listing of a server. It survives restarts. `extensions`: the one for clients that declared these, see `listFor`; the
   * same array unless the server made a list for them.
   */
  catalogue(server: string, extensions?: ExtensionKey): readonly RemoteTool[];
  /** The tools that a server lists but its review does not offer. `extensions`: only those in that list. Default: in any. */
  withheld(server: string, extensions?: ExtensionKey): readonly WithheldTool[];
  /**
   * Lists the tools for clients with these extensions too, from now on. Only servers of the modern era that declare one of them are
   * asked. Resolves when those that run have answered. Never rejects.
   */
  listFor(extensions: ExtensionKey): Promise<void>;
  /** Connects one more server, or replaces the one with the same id. Never rejects for a failing server. */
  addServer(config: ServerConfig): Promise<void>;
  /** Closes a server and removes it; false if there was none. */
  removeServer(server: string): Promise<boolean>;
  /** Closes a server and starts it again, in any state; false if there is none. Never rejects for a failing server. */
  restart(server: string): Promise<boolean>;
  /** Changes the fleet to match a configuration and touches only what differs. Calls in progress get time to finish. */
  reload(config: BridgeConfig): Promise<ReloadReport>;
  /** Calls the listener when the tools of a server have changed; with an empty list when it was removed. */
  onChange(listener: (change: CatalogueChange) => void): () => void;
  /** Calls the listener whenever the state of a server changes, and a last time when it was removed. */
  onStatus(listener: (status: EndpointStatus) => void): () => void;
  /**
   * Calls the listener with each notification that is not part of a call, across restarts. Log messages are
   * reported by `onLog`.
   */
  onNotification(listener: (notification: FleetNotification) => void): () => void;
  /** Calls the listener with each log message that is not part of a running call. */
  onLog(listener: (log: FleetLog) => void): () => void;
  /**
   * Watches a resource of a server until the returned function is called. All watchers of one (server, URI) share one
   * subscription. It is renewed after a restart, followed by one `notifications/resources/updated`. Rejects with a fault.
   */
  watchResource(server: string, uri: string, options?: AcquireOptions): Promise<() => Promise<void>>;
  /**
   * Sets the log level that a client asks for; `undefined` removes it. Each server gets the most verbose level of all
   * clients, even after a restart. Resolves when the running servers have it. Never rejects.
   */
  setLogLevel(client: string, level: LogLevel | undefined): Promise<void>;
  /** Tells a client's own instances that its roots have changed; without a client, all servers. */
  rootsChanged(client?: string): void;
  /** Ends everything held for a client: its own instances and its log level. Never rejects. */
  endClient(client: string): Promise<void>;
}

/** Answers questions of servers when there is no caller to ask: for calls without one, and outside of calls. */
export interface QuestionAnswerer {
  readonly can: Caller["can"];
  ask(requests: Questions, signal?: AbortSignal, asker?: QuestionAsker): Promise<Answers>;
}

/** The server that asks a question. */
export interface QuestionAsker {
  readonly server: string;
  /** The client that owns this instance of the server. */
  readonly owner?: string;
}

/** The common part of a mounted bridge. `mountProtocolBridge` resolves to `MountedProtocolBridge`. */
export interface MountedBridge {
  readonly fleet: ServerFleet;
  readonly toolBox: ToolBox;
  readonly toolCount: number;
}

/** A notification that is not part of a call. */
export interface FleetNotification {
  readonly server: string;
  readonly notification: SessionNotification;
  /** The client that owns this instance of the server. Absent if all clients share it. */
  readonly client?: string;
}

/**
 * Who may see what a server sends outside of a call: all clients while none has used the connection, the only client
 * that has used it, or no client if several have.
 */
export type Audience = { readonly kind: "all" | "none" } | { readonly kind: "client"; readonly key: string };

/** A log message that is not part of a running call. */
export interface FleetLog {
  readonly server: string;
  readonly entry: LogEntry;
  readonly audience: Audience;
}

/**
 * What is known about earlier starts of a server. The fleet uses it to order starts and to recognise first starts, which may
 * install a package. An implementation that outlives the process must identify a server by its launch, not by its id: a server
 * whose launch changed has never been ready. No method may throw.
 */
export interface StartHistory {
  /** How long the last successful start took, from leaving the start queue to ready. `undefined`: it has never been ready. */
  readyMs(config: ServerConfig): number | undefined;
  /** Whether it was started before, successfully or not. A server that was tried but never ready starts after the others. */
  wasTried?(config: ServerConfig): boolean;
  /** Called when a start begins: an interrupted or hanging start counts too. */
  recordTry?(config: ServerConfig): void;
  /** Called after each start that succeeded. */
  recordReady(config: ServerConfig, readyMs: number): void;
  /** Called after each start that failed. */
  recordFailure?(config: ServerConfig): void;
  /**
   * Called instead if a start ends because its server is removed or its fleet torn down, after 3 s without an answer or without
   * a sign of work. An interrupted installation does not count while it works.
   */
  recordInterrupted?(config: ServerConfig): void;
}
