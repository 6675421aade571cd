import type {
  Answers,
  Caller,
  ProgressNote,
  Questions,
  Suspension,
  ToolBox,
  WireResult,
} from "../../runtime/index.ts";
import type { BridgeConfig, ServerConfig } from "./config.ts";
import type { ProtocolFault } from "./fault.ts";
import type { EndpointPhase } from "./phase.ts";
import type { RemoteCallResult, RemoteTool, SkippedTool } from "./remote-tool.ts";
import type { ServerSession } from "./session.ts";

export interface InvokeOptions {
  /** Cancels in flight: the server is told, the caller gets its answer at once. Without it a call is only checked before it starts. */
  readonly signal?: AbortSignal;
  /** On whose behalf: questions of the server go to it, and in the modern era its abilities travel with the request. */
  readonly caller?: Caller;
  readonly onProgress?: (note: ProgressNote) => void;
  /** The request's `_meta`, passed on. */
  readonly meta?: { readonly [key: string]: unknown };
}

/** What a call came to. */
export interface InvokeResult extends RemoteCallResult {
  /** The modern era's `input_required`, only for a caller that can take it. */
  readonly suspended?: Suspension;
  readonly wire: WireResult;
}

/** What a listing came to. */
export interface ToolListing {
  readonly tools: readonly RemoteTool[];
  readonly skipped: readonly SkippedTool[];
  /** The listing stopped at a budget; there is more. */
  readonly truncated: boolean;
}

/** Why a server is not simply in its phase. */
export type ServerState = "dormant" | "restarting" | "tripped" | "needs_login" | "untrusted" | "disabled";

/** How a server is, right now. */
export interface EndpointStatus {
  readonly server: string;
  readonly phase: EndpointPhase;
  readonly toolCount: number;
  readonly fault?: ProtocolFault;
  readonly state?: ServerState;
  /** What was wrong without being fatal: tools that were skipped, lines that were no messages. */
  readonly notes?: readonly string[];
  /** How often the fleet has started it again. */
  readonly restarts?: number;
  /** Why it cannot be used, in one line, and the way out: what to start, to log in to, or to mend in its configuration. */
  readonly summary?: string;
  /** The last lines its process wrote to standard error, fit to be shown. */
  readonly stderrTail?: string;
}

/** Server id → status, in configuration order. */
export type FleetStatus = ReadonlyMap<string, EndpointStatus>;

/** One connection to one server. Single-shot: once closed or faulted it stays so. Every failure is a `ProtocolFault`. */
export interface ServerEndpoint {
  readonly config: ServerConfig;
  readonly phase: EndpointPhase;
  /** Connects. Callers at the same time share one attempt; a caller that gives up leaves it running. */
  open(signal?: AbortSignal): Promise<void>;
  /** The tools; remembered after the first time, and kept fresh when the server says they changed. */
  listTools(): Promise<readonly RemoteTool[]>;
  /** The whole listing: what `listTools` gives, and what it left out. */
  listing(): Promise<ToolListing>;
  /** Calls a tool under the server's own name for it. */
  invoke(name: string, args: unknown, options?: InvokeOptions): Promise<InvokeResult>;
  /** The raw connection; a `not_connected` fault unless ready. */
  session(): ServerSession;
  status(): EndpointStatus;
  /** Hears when the listing became another. Returns the way to stop listening. */
  onToolsChanged(listener: (listing: ToolListing) => void): () => void;
  /** Hears the end of this endpoint, once: its fault, or nothing when it was closed. */
  onEnd(listener: (fault?: ProtocolFault) => void): () => void;
  /** Ends the connection and what it started. Never rejects. */
  close(): Promise<void>;
}

/** How the tools of one server differ from a moment ago. */
export interface CatalogueChange {
  readonly server: string;
  readonly tools: readonly RemoteTool[];
}

export interface AcquireOptions {
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
}

/** The right to use a server's endpoint for one call. */
export interface Lease {
  readonly endpoint: ServerEndpoint;
  release(): void;
}

/** What a new configuration came to, by server id. */
export interface ReloadReport {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Rows that say something else than before: ended and started anew. */
  readonly changed: readonly string[];
  /** Rows that say the same: not touched at all. */
  readonly kept: readonly string[];
}

/** Many connections with one life. One bad server never hurts the others. */
export interface ServerFleet {
  /** Starts the last configuration again with fresh endpoints; `not_connected` when there was none. */
  spinUp(): Promise<void>;
  /** Closes everything at the same time. Never rejects. */
  tearDown(): Promise<void>;
  /** The newest endpoint of a server. */
  endpoint(server: string): ServerEndpoint | undefined;
  /** The newest endpoints, in configuration order. */
  endpoints(): readonly ServerEndpoint[];
  status(): FleetStatus;
  /** A usable endpoint: starts one, joins a start that is under way, or refuses with a fault. */
  acquire(server: string, options?: AcquireOptions): Promise<Lease>;
  /** The last good listing of a server; survives its restarts. */
  catalogue(server: string): readonly RemoteTool[];
  /** Connects one more server, or another in the place of one with the same id. Never rejects for a bad server. */
  addServer(config: ServerConfig): Promise<void>;
  /** Closes a server and forgets it; false when there was none. */
  removeServer(server: string): Promise<boolean>;
  /** Closes a server and starts it afresh, whatever state it is in; false when there is none. Never rejects for a bad server. */
  restart(server: string): Promise<boolean>;
  /** Makes the fleet what a configuration says and touches only what differs. Calls under way are given time to end. */
  reload(config: BridgeConfig): Promise<ReloadReport>;
  /** Hears when the tools of a server became others; an empty list when it was removed. */
  onChange(listener: (change: CatalogueChange) => void): () => void;
  /** Hears how a server is whenever that changes; a last time when it has left. */
  onStatus(listener: (status: EndpointStatus) => void): () => void;
}

/** Answers the questions of servers on behalf of calls nobody stands behind. */
export interface QuestionAnswerer {
  readonly can: Caller["can"];
  ask(requests: Questions, signal?: AbortSignal): Promise<Answers>;
}

/** A mounted bridge as the contract knows it. `mountProtocolBridge` itself resolves to `MountedProtocolBridge`. */
export interface MountedBridge {
  readonly fleet: ServerFleet;
  readonly toolBox: ToolBox;
  readonly toolCount: number;
}
