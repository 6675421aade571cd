import type { Caller, ClientInfo, ToolBox } from "../../runtime/index.ts";
import type { ProtocolEra } from "./session.ts";
import type { MessageTransport } from "./transport.ts";

/** How a host introduces itself. */
export interface ProviderHostInfo {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  /** What a client should know before it uses the tools; often shown to the model. */
  readonly instructions?: string;
  /** Anything else an implementation may say of itself: icons, a website. */
  readonly [member: string]: unknown;
}

/** Who is at the other end of a connection, as far as it is known. */
export interface HostClient {
  /** The attribution key of its calls: a session, else a principal, else the listener. */
  readonly key: string;
  /** Who was authenticated, where anybody was. */
  readonly principal?: string;
  /** As it introduced itself; not authenticated. */
  readonly client?: ClientInfo;
  readonly era: ProtocolEra;
}

/** The tools to offer: the same to everybody, or chosen for each client (asked once a session, or once a request where there are none). */
export type BoxSource = ToolBox | ((client: HostClient) => ToolBox);

/** A result in the protocol's own words, passed on untouched. */
export interface RawResult {
  readonly [member: string]: unknown;
}

/** What a provider is told about the request it answers. */
export interface ProviderRequest {
  /** Aborts when the client cancels or goes away. */
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** The request's `_meta`, without the progress token and the keys the protocol reserves. */
  readonly meta?: { readonly [key: string]: unknown };
}

export interface ListRequest {
  readonly cursor?: string;
}

/** Resources and templates. A resource that is not there is `undefined`. */
export interface ResourceProvider {
  list(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  templates?(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  read(uri: string, request: ProviderRequest): Promise<RawResult | undefined> | RawResult | undefined;
  /** Told when a client starts to watch a resource, and when the last one has stopped. */
  watch?(uri: string): void;
  unwatch?(uri: string): void;
  /** Hears when the list has become another. Returns the way to stop listening. */
  onListChanged?(listener: () => void): () => void;
  /** Hears when a resource has new content. */
  onUpdated?(listener: (uri: string) => void): () => void;
}

/** Prompts. One that is not there is `undefined`. */
export interface PromptProvider {
  list(list: ListRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
  get(
    name: string,
    args: { readonly [argument: string]: string },
    request: ProviderRequest,
  ): Promise<RawResult | undefined> | RawResult | undefined;
  onListChanged?(listener: () => void): () => void;
}

/** What is being completed: an argument of a prompt or of a resource template, and what is filled in already. */
export interface CompletionRequest {
  readonly ref: { readonly type: string; readonly [member: string]: unknown };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: { readonly [argument: string]: string } };
}

/** Everything a host can offer beside tools. What is absent is not advertised. */
export interface HostProviders {
  readonly resources?: ResourceProvider;
  readonly prompts?: PromptProvider;
  /** Resolves to `{ completion: { values, … } }`. */
  complete?(completion: CompletionRequest, request: ProviderRequest): Promise<RawResult> | RawResult;
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
  /** Serves one connection. Resolves once it listens; rejects with a `transport` fault when the transport cannot start. */
  connect(transport: MessageTransport): Promise<RunningProviderHost>;
}
