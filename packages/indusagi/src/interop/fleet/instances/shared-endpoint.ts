import { Listeners, untilAborted } from "../../../core/index.ts";
import {
  type CacheHint,
  type EndpointPhase,
  type EndpointStatus,
  type EndpointTraffic,
  type ExtensionKey,
  type InvokeOptions,
  type InvokeResult,
  NEXT_PHASES,
  ProtocolFault,
  type RemoteTool,
  type ServerConfig,
  type ServerEndpoint,
  type ServerSession,
  type ToolListing,
} from "../../contract/index.ts";
import {
  describeOptions,
  type EndpointOptions,
  toolsFromDefinitions,
  unknownToolNotes,
} from "../../endpoint/index.ts";
import { type SessionWishes, sharedSession } from "./shared-session.ts";

/** An endpoint that may share its connection with other fleets. */
export interface RetirableEndpoint extends ServerEndpoint {
  /** Ends the connection for all of them: it has to be made anew. Absent: `close` does that. */
  retire?(): Promise<void>;
}

/** A running server as its users see it. */
export interface SharedConnection {
  /** The row that it was started with. */
  readonly config: ServerConfig;
  readonly endpoint: ServerEndpoint;
  readonly users: ReadonlySet<SharedEndpoint>;
  readonly wishes: SessionWishes<SharedEndpoint>;
  readonly pid: number | undefined;
  /** Runs what sends a request of a user. */
  as<Result>(user: SharedEndpoint, send: () => Result): Result;
  /** A user has left. The last one ends it. */
  leave(user: SharedEndpoint): Promise<void>;
  /** Ends it for all its users. Never rejects. */
  end(): Promise<void>;
}

export interface SharedEndpointParts {
  readonly name: string;
  /** The running instance, or a new one. */
  readonly join: (user: SharedEndpoint) => Promise<SharedConnection>;
  readonly onProcess: (pid: number) => void;
}

/** Callers that are remembered, to know whose log messages are whose. */
const MAX_CALLERS = 1_000;

/**
 * An endpoint whose connection other fleets use too. To its own fleet it looks as if it had one of its own: closing it only leaves
 * the connection, unless it is the last.
 */
export class SharedEndpoint implements RetirableEndpoint {
  readonly config: ServerConfig;
  readonly options: EndpointOptions;
  readonly name: string;
  /** That of the instance, which is not known before `open`. */
  readonly traffic: EndpointTraffic;
  readonly #parts: SharedEndpointParts;
  readonly #endListeners = new Listeners<ProtocolFault | undefined>();
  readonly #toolListeners = new Listeners<ToolListing>();
  /** The listings of the instance as this row shows them. */
  readonly #shown = new WeakMap<ToolListing, ToolListing>();
  readonly #callers = new Set<string>();
  #phase: EndpointPhase = "idle";
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #instance: SharedConnection | undefined;
  #session: ServerSession | undefined;
  #fault: ProtocolFault | undefined;
  #rowNotes: readonly string[] | undefined;

  constructor(config: ServerConfig, options: EndpointOptions, parts: SharedEndpointParts) {
    this.config = config;
    this.options = options;
    this.name = parts.name;
    this.#parts = parts;
    const shared = (): EndpointTraffic | undefined => this.#instance?.endpoint.traffic;
    this.traffic = {
      get received() {
        return shared()?.received ?? 0;
      },
      get missed() {
        return shared()?.missed ?? 0;
      },
      get waiting() {
        return shared()?.waiting ?? 0;
      },
      onChange: (listener) => shared()?.onChange(listener) ?? (() => {}),
      onAnswer: (listener) => shared()?.onAnswer(listener) ?? (() => {}),
    };
  }

  get phase(): EndpointPhase {
    return this.#phase;
  }

  get pid(): number | undefined {
    return this.#phase === "ready" ? this.#instance?.pid : undefined;
  }

  async open(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.#phase === "ready") return;
    if (this.#phase === "faulted") throw this.#fault;
    if (this.#phase === "closing" || this.#phase === "closed") throw this.#notReady();
    this.#opening ??= this.#connect();
    await untilAborted(this.#opening, signal);
  }

  async listTools(): Promise<readonly RemoteTool[]> {
    return (await this.listing()).tools;
  }

  async listing(extensions?: ExtensionKey): Promise<ToolListing> {
    const instance = this.#ready();
    return this.#show(await instance.as(this, () => instance.endpoint.listing(extensions)));
  }

  listedFor(extensions: ExtensionKey): ExtensionKey {
    return this.#phase === "ready" ? (this.#instance?.endpoint.listedFor(extensions) ?? "") : "";
  }

  async toolHint(extensions?: ExtensionKey): Promise<CacheHint | undefined> {
    return this.#phase === "ready" ? this.#instance?.endpoint.toolHint(extensions) : undefined;
  }

  invoke(name: string, args: unknown, options: InvokeOptions = {}): Promise<InvokeResult> {
    try {
      const instance = this.#ready();
      this.#note(options.caller?.key);
      return instance.as(this, () => instance.endpoint.invoke(name, args, options));
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  session(): ServerSession {
    const instance = this.#ready();
    this.#session ??= this.#sessionOf(instance);
    return this.#session;
  }

  status(): EndpointStatus {
    const shared = this.#instance?.endpoint.status();
    const own = { server: this.config.id, phase: this.#phase, toolCount: shared?.toolCount ?? 0 };
    const { rowNotes: _, ...rest }: EndpointStatus = shared ?? own;
    const fault = this.#fault ?? shared?.fault;
    const rowNotes = this.#rowNotes ?? shared?.rowNotes ?? [];
    return { ...rest, ...own, ...(fault && { fault }), ...(rowNotes.length > 0 && { rowNotes }) };
  }

  onToolsChanged(listener: (listing: ToolListing) => void): () => void {
    return this.#toolListeners.add(listener);
  }

  onEnd(listener: (fault?: ProtocolFault) => void): () => void {
    return this.#endListeners.add(listener);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#leave();
    await this.#closing;
  }

  /** Ends the connection for all its users: it has to be made anew. */
  async retire(): Promise<void> {
    const instance = this.#instance;
    this.#closing ??= this.#leave();
    await Promise.all([this.#closing, instance?.end()]);
  }

  /** For its instance: the process has started. */
  started(pid: number): void {
    this.#parts.onProcess(pid);
  }

  /** For its instance: the connection has ended, also if another user ended it. */
  ended(fault: ProtocolFault | undefined): void {
    this.#fault = fault;
    if (this.#phase === "connecting" || this.#phase === "ready") {
      if (fault) return this.#move("faulted");
      this.#move("closing");
      this.#move("closed");
    }
  }

  /** For its instance: whether a caller has used this endpoint. */
  hasCaller(key: string): boolean {
    return this.#callers.has(key);
  }

  async #connect(): Promise<void> {
    this.#move("connecting");
    const instance = await this.#parts.join(this);
    this.#instance = instance;
    if (instance.pid !== undefined) this.started(instance.pid);
    if (this.#closing) {
      await instance.leave(this);
      throw this.#notReady();
    }
    instance.endpoint.onToolsChanged((listing) => {
      if (this.#phase === "ready") this.#toolListeners.emit(this.#show(listing));
    });
    await instance.endpoint.open();
    if (this.#phase !== "connecting") throw this.#fault ?? this.#notReady();
    this.#move("ready");
  }

  async #leave(): Promise<void> {
    if (this.#phase === "idle") return this.#move("closed");
    if (this.#phase === "connecting" || this.#phase === "ready") this.#move("closing");
    await this.#instance?.leave(this);
    if (this.#phase === "closing") this.#move("closed");
  }

  #sessionOf(instance: SharedConnection): ServerSession {
    const shared = sharedSession<SharedEndpoint>({
      user: this,
      session: instance.endpoint.session(),
      wishes: instance.wishes,
      as: (send) => instance.as(this, send),
      isAlone: () => instance.users.size < 2,
    });
    return {
      ...shared,
      request: (method, params, options) => {
        this.#note(options?.caller?.key);
        return shared.request(method, params, options);
      },
    };
  }

  #note(caller: string | undefined): void {
    if (caller === undefined || this.#callers.has(caller)) return;
    const [oldest] = this.#callers;
    if (this.#callers.size >= MAX_CALLERS && oldest !== undefined) this.#callers.delete(oldest);
    this.#callers.add(caller);
  }

  /** The listing under the names and with the texts of this row. The same object each time: its identity shows that nothing changed. */
  #show(listing: ToolListing): ToolListing {
    const { config: first } = this.#instance ?? {};
    if (!first || isNamedAlike(first, this.config)) return listing;
    const known = this.#shown.get(listing);
    if (known) return known;
    const definitions = listing.tools.map(({ definition }) => definition);
    const shown = {
      ...listing,
      tools: toolsFromDefinitions(definitions, describeOptions(this.config, this.options)),
    };
    this.#shown.set(listing, shown);
    void unknownToolNotes(this.config, () => listing).then((notes) => (this.#rowNotes = notes));
    return shown;
  }

  #ready(): SharedConnection {
    if (this.#phase === "ready" && this.#instance) return this.#instance;
    throw this.#phase === "faulted" && this.#fault ? this.#fault : this.#notReady();
  }

  #move(to: EndpointPhase): void {
    if (!NEXT_PHASES[this.#phase].includes(to))
      throw new Error(`an endpoint cannot go from ${this.#phase} to ${to}`);
    this.#phase = to;
    if (to !== "closed" && to !== "faulted") return;
    this.#endListeners.emit(this.#fault);
    this.#endListeners.clear();
  }

  #notReady(): ProtocolFault {
    const { id: server } = this.config;
    const hint = this.#phase === "idle" ? "; open it first" : "";
    return new ProtocolFault("not_connected", `server "${server}" is ${this.#phase}${hint}`, {
      server,
      retrySafe: true,
    });
  }
}

/** Whether two rows name and describe the tools of their server in the same way. */
function isNamedAlike(one: ServerConfig, other: ServerConfig): boolean {
  const naming = ({ includeTools, excludeTools, toolOverrides }: ServerConfig): string =>
    JSON.stringify([includeTools, excludeTools, toolOverrides]);
  return one === other || naming(one) === naming(other);
}
