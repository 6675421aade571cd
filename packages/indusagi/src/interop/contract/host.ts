import type {
  Answers,
  Caller,
  CallerAbilities,
  ClientInfo,
  LogEntry,
  LogLevel,
  Questions,
  ToolBox,
} from "../../runtime/index.ts";
import type { Extensions } from "./extensions.ts";
import type { ProtocolEra, SessionNotification } from "./session.ts";
import type { MessageTransport } from "./transport.ts";

/** The name and version that a host sends to its clients. */
export interface ProviderHostInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** What a client should know before using the tools; often shown to the model. May depend on the client. */
  readonly instructions?: string | ((client: HostClient) => string | undefined);
  /** Other members of an implementation, such as icons or a website. */
  readonly [member: string]: unknown;
}

/** How a host introduces itself, if that is decided later than its creation. */
export interface HostIntroduction {
  /** Default: the info the host was created with. */
  readonly info?: ProviderHostInfo;
  /**
   * The capabilities to advertise, in protocol form. Those the host does not have are left out, and those not named here are
   * not offered. Default: everything the host can do.
   */
  readonly capabilities?: { readonly [capability: string]: unknown };
}

/** What is known about the client of a connection. */
export interface HostClient {
  /** The attribution key of its calls: a session, else a principal, else the listener. */
  readonly key: string;
  /** The authenticated principal, if there is one. */
  readonly principal?: string;
  /** The client's own name and version; not authenticated. */
  readonly client?: ClientInfo;
  /** See `Caller.isSingle`. */
  readonly isSingle?: boolean;
  readonly era: ProtocolEra;
  /** The extensions it declared, as far as the host passes them on. Without a connection, those of the request. */
  readonly extensions?: Extensions;
}

/**
 * The tools to offer: the same for all clients, or per client (once per session, or once per request without
 * sessions).
 */
export type BoxSource = ToolBox | ((client: HostClient) => ToolBox);

/** A result in protocol form, passed on unchanged. */
export interface RawResult {
  readonly [member: string]: unknown;
}

/** How long a result may be used again without asking, and whether one that was made for one client may serve others. */
export interface CacheHint {
  readonly ttlMs: number;
  readonly cacheScope: "public" | "private";
}

/** What a provider knows about the request it answers. */
export interface ProviderRequest {
  /** Aborts when the client cancels or goes away. */
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** The request's `_meta`, without the progress token and reserved keys. */
  readonly meta?: { readonly [key: string]: unknown };
}

export interface ListRequest {
  readonly cursor?: string;
}

/** Resources and templates. `undefined` means that the resource does not exist. */
export interface ResourceProvider {
  list(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  templates?(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  read(uri: string, request: ProviderRequest): Promise<RawResult | undefined> | RawResult | undefined;
  /**
   * Called when the first client starts to watch a resource, on its behalf; `unwatch` when the last one stops. The client
   * is answered when the promise resolves and refused if it rejects. The signal aborts when the client stops waiting.
   */
  watch?(uri: string, request: ProviderRequest): Promise<void> | void;
  unwatch?(uri: string): Promise<void> | void;
  /** Calls the listener when the list has changed. Returns a function that removes the listener. */
  onListChanged?(listener: () => void): () => void;
  /** Calls the listener when a resource has new content. */
  onUpdated?(listener: (uri: string) => void): () => void;
}

/** Prompts. `undefined` means that the prompt does not exist. */
export interface PromptProvider {
  list(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  get(
    name: string,
    args: { readonly [argument: string]: string },
    request: ProviderRequest,
  ): Promise<RawResult | undefined> | RawResult | undefined;
  onListChanged?(listener: () => void): () => void;
}

/** Skills. Their files are read as resources, so a host with skills has resources too. */
export interface SkillProvider {
  /** Resolves to `{ skills, … }`. */
  list(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  /** Resolves to `{ skill, … }`. `undefined` means that there is no such skill. */
  get(uri: string, request: ProviderRequest): Promise<RawResult | undefined> | RawResult | undefined;
  /** Resolves to `{ resources, … }`, the direct children. `undefined` means that there is no such folder. */
  directory?(
    uri: string,
    list: ListRequest,
    request: ProviderRequest,
  ): Promise<RawResult | undefined> | RawResult | undefined;
}

/** What to complete: an argument of a prompt or of a resource template, with the arguments already filled in. */
export interface CompletionRequest {
  readonly ref: { readonly type: string; readonly [member: string]: unknown };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: { readonly [argument: string]: string } };
}

/** What one client receives outside of its requests. Only legacy connections can carry it. */
export interface ClientFeed {
  /** Called when the client has asked for log messages of this level and above. Its request waits for the promise. */
  setLevel?(level: LogLevel, request: ProviderRequest): Promise<void> | void;
  /** Calls the listener with each log message for this client. The host drops those below the client's level. */
  onLog?(listener: (entry: LogEntry) => void): () => void;
  /** Calls the listener with each other notification for this client, which is sent unchanged. */
  onNotification?(listener: (notification: SessionNotification) => void): () => void;
}

/** A request about a task. */
export type TaskMethod = "tasks/get" | "tasks/update" | "tasks/cancel";

export interface TaskParams {
  readonly taskId: string;
  /** Answers to the task's questions. */
  readonly inputResponses?: Answers | undefined;
  /** The state is enough: a result that has to be fetched is left out. */
  readonly stateOnly?: boolean | undefined;
}

/**
 * How the calls of a server's tools become tasks: in the legacy era the client asks for one, and the server says for each tool whether
 * it may; with the extension the server alone decides.
 */
export type TaskKind = "legacy" | "extension";

/** Tasks that the tools of servers created, in the form of the extension whatever the era of the server. */
export interface TaskProvider {
  /** The id under which a client asks about a task of a server. */
  handleOf(task: { readonly server: string; readonly id: string }, caller: Caller): string;
  /** Asks the server. Undefined if this caller has no such task. */
  request(method: TaskMethod, params: TaskParams, request: ProviderRequest): Promise<RawResult> | undefined;
  /**
   * Calls the listener with the state of a task now and after each change, until the returned function is called or the signal of the
   * request aborts. Never calls it before it returns. Undefined if this caller has no such task. Tasks that are watched for one
   * subscription have the same `request` object.
   */
  watch?(
    taskId: string,
    listener: (task: RawResult) => void,
    request: ProviderRequest,
  ): (() => void) | undefined;
  /** The servers that have tasks. Absent: none of them can be asked for one. */
  kinds?(): ReadonlyMap<string, TaskKind>;
  /**
   * Waits for the result of a task on its server, whose questions go to the caller. Resolves to undefined if the server can only be
   * asked for the state. Undefined if this caller has no such task.
   */
  wait?(taskId: string, request: ProviderRequest): Promise<RawResult | undefined> | undefined;
}

/** What a host offers besides tools. Absent members are not advertised. */
export interface HostProviders {
  readonly resources?: ResourceProvider;
  readonly prompts?: PromptProvider;
  /** Offered only together with `resources`. */
  readonly skills?: SkillProvider;
  readonly feed?: ClientFeed;
  readonly tasks?: TaskProvider;
  /** The extensions to advertise, with their settings. */
  readonly extensions?: Extensions | undefined;
  /**
   * Called for each `tools/list`, whose answer waits for it: the tools may be brought up to date first. Resolves to what the answer
   * states to a client of the modern era. Default: nothing may be cached.
   */
  toolHint?(caller: Caller): Promise<CacheHint | undefined> | CacheHint | undefined;
  /**
   * Answers a request whose method the host does not know, as an extension adds it. Undefined: it is refused like any unknown method.
   */
  forward?(
    method: string,
    params: RawResult,
    request: ProviderRequest,
  ): Promise<RawResult> | RawResult | undefined;
  /** Resolves to `{ completion: { values, … } }`. */
  complete?(completion: CompletionRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
}

/**
 * The providers: the same for all clients, or per client (once per session, or once per request without sessions). Clients
 * with the same view should share the same `resources` and `prompts` objects: without sessions, each object is watched as
 * long as a listener is open.
 */
export type ProviderSource = HostProviders | ((client: HostClient) => HostProviders);

/** A connected client, from its handshake until it disconnects. */
export interface ConnectedClient extends HostClient {
  /** What it can be asked at any time. Empty in the modern era, where questions are part of requests. */
  readonly can: CallerAbilities;
  /** Asks outside of a request. Rejects if the client cannot or will not answer, or is gone. */
  ask(requests: Questions, signal?: AbortSignal): Promise<Answers>;
}

/** Is told which clients are connected. Clients without a connection are not reported. */
export interface ClientObserver {
  connected?(client: ConnectedClient): void;
  /** Called after the last request of the client has ended or was aborted. */
  disconnected?(client: ConnectedClient): void;
  /** The client reports that its roots have changed. */
  rootsChanged?(client: ConnectedClient): void;
}

/** One connection being served. */
export interface RunningProviderHost {
  /** Resolves when the connection has ended, from either side. */
  waiting(): Promise<void>;
  /** Ends the connection and the tools running for it. Never rejects. */
  cancel(): Promise<void>;
  /** The same as `cancel`. */
  close(): Promise<void>;
}

/** A tool box as an MCP server. Stateless: it can be connected any number of times. */
export interface ProviderHost {
  readonly info: ProviderHostInfo;
  /**
   * Serves one connection. Resolves when it is ready; rejects with a `transport` fault if the transport cannot start.
   */
  connect(transport: MessageTransport): Promise<RunningProviderHost>;
}
