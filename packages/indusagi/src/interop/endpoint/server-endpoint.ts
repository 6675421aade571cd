import { describeError, Listeners, untilAborted } from "../../core/index.ts";
import { definedMembers, isRecord, Redactor, secretValues } from "../../core/internal.ts";
import { declaredFor, leftOutLine, sharedKey } from "../content/index.ts";
import type { MessageTransport } from "../contract/index.ts";
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
} from "../contract/index.ts";
import { CallTraffic } from "../wire/index.ts";
import { invokeTool } from "./call/invoke-tool.ts";
import type { Connection } from "./connect/attempt-connection.ts";
import { openConnection } from "./connect/open-connection.ts";
import {
  type ConnectionContext,
  type EndpointOptions,
  resolveCallTimes,
  resolveTimeouts,
} from "./connection-context.ts";
import { asMayHaveRun, faultAt } from "./faults/error-faults.ts";
import { untrustedServer } from "./faults/open-faults.ts";
import { shownStderr } from "./faults/process-remains.ts";
import { describeOptions } from "./list/describe-tool.ts";
import { listTools } from "./list/list-tools.ts";
import { ToolCatalogue } from "./list/tool-catalogue.ts";
import { unknownToolNotes } from "./list/unknown-tool-names.ts";

/** How long to wait for pending requests on a connection that is being abandoned. */
const LAST_ANSWERS_MS = 5000;

/** Any transport of the MCP SDK, or one side of `linkedTransports()`. */
export type InjectedTransport = MessageTransport;

/** An endpoint for a server. It starts nothing before `open`. A given transport replaces the configured one. */
export function createServerEndpoint(
  config: ServerConfig,
  transport?: InjectedTransport,
  options: EndpointOptions = {},
): ServerEndpointImpl {
  return new ServerEndpointImpl(config, transport, options);
}

/** One connection to one server, in the phases of `NEXT_PHASES`. It connects once and ends once. */
export class ServerEndpointImpl implements ServerEndpoint {
  readonly config: ServerConfig;
  readonly #context: ConnectionContext;
  readonly #catalogue: ToolCatalogue;
  /** The listings for clients with extensions, by what is declared for them. */
  readonly #classes = new Map<ExtensionKey, ToolCatalogue>();
  readonly #stop = new AbortController();
  readonly #notes: string[] = [];
  readonly #endListeners = new Listeners<ProtocolFault | undefined>();
  readonly #toolListeners = new Listeners<ToolListing>();
  #phase: EndpointPhase = "idle";
  #opening: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #connection: Connection | undefined;
  #fault: ProtocolFault | undefined;
  #listFailure: string | undefined;
  #rowNotes: readonly string[] = [];
  #skipped: string | undefined;

  constructor(config: ServerConfig, transport?: InjectedTransport, options: EndpointOptions = {}) {
    const timeouts = resolveTimeouts(config.timeouts, options.timeouts);
    let redactor: Redactor | undefined;
    this.config = config;
    this.#context = {
      server: config.id,
      config,
      options,
      transport,
      timeouts,
      times: resolveCallTimes(config.timeouts, timeouts, options.patience),
      traffic: new CallTraffic(),
      signal: this.#stop.signal,
      // Created on first use: a gateway creates the endpoints of many servers before it answers its client.
      get redactor() {
        redactor ??= new Redactor(secretValues(config));
        return redactor;
      },
      note: (message) => this.#note(message),
      onLost: (fault) => this.#lose(fault),
    };
    this.#catalogue = new ToolCatalogue({
      list: () => this.#list(),
      onChanged: (listing) => this.#toolListeners.emit(listing),
      isAnnounced: () => this.#announcesTools(),
    });
  }

  get phase(): EndpointPhase {
    return this.#phase;
  }

  get pid(): number | undefined {
    return this.#phase === "ready" ? this.#connection?.pid : undefined;
  }

  get traffic(): EndpointTraffic {
    return this.#context.traffic;
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

  async listing(extensions: ExtensionKey = ""): Promise<ToolListing> {
    this.#ready();
    return this.#catalogueFor(extensions).get();
  }

  listedFor(extensions: ExtensionKey): ExtensionKey {
    const session = this.#phase === "ready" ? this.#connection?.session : undefined;
    return session?.era === "modern" ? sharedKey(extensions, session.capabilities) : "";
  }

  async toolHint(extensions: ExtensionKey = ""): Promise<CacheHint | undefined> {
    if (this.#phase !== "ready" || this.#connection?.session.capabilities["tools"] === undefined)
      return undefined;
    const catalogue = this.#catalogueFor(extensions);
    await catalogue.renew();
    return catalogue.hint;
  }

  invoke(name: string, args: unknown, options: InvokeOptions = {}): Promise<InvokeResult> {
    try {
      options.signal?.throwIfAborted();
      const { session } = this.#ready();
      const { definition = this.#catalogue.find(name)?.definition } = options;
      return invokeTool(session, { name, args, options, definition });
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  session(): ServerSession {
    return this.#ready().session;
  }

  status(): EndpointStatus {
    const notes = [...this.#notes, ...(this.#connection?.notes() ?? [])];
    const { stderr, stderrReason } = this.#fault?.details ?? {};
    return definedMembers({
      server: this.config.id,
      phase: this.#phase,
      toolCount: this.#catalogue.count,
      fault: this.#fault,
      listFailure: this.#listFailure,
      notes: notes.length > 0 ? notes : undefined,
      rowNotes: this.#rowNotes.length > 0 ? this.#rowNotes : undefined,
      leftOut: this.#skipped === undefined ? undefined : [this.#skipped],
      ...shownStderr(this.#connection?.stderr() || stderr, stderrReason),
    });
  }

  onToolsChanged(listener: (listing: ToolListing) => void): () => void {
    return this.#toolListeners.add(listener);
  }

  onEnd(listener: (fault?: ProtocolFault) => void): () => void {
    return this.#endListeners.add(listener);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    await this.#closing;
  }

  async #connect(): Promise<void> {
    this.#move("connecting");
    try {
      const untrusted = untrustedServer(this.config);
      if (untrusted) throw untrusted;
      const connection = await openConnection(this.#context);
      this.#connection = connection;
      if (this.#stop.signal.aborted) throw this.#notReady();
      connection.session.onNotification(({ method }) => {
        if (method !== "notifications/tools/list_changed") return;
        for (const catalogue of [this.#catalogue, ...this.#classes.values()]) catalogue.reported();
      });
      this.#move("ready");
      // Over HTTP, a notification sent before its stream was open is lost, so list once more when it is open.
      if (this.config.kind !== "stdio") this.#catalogue.missed(this.#context.options.relistMs ?? 1000);
    } catch (thrown) {
      await this.#connection?.close(); // The connection may have been lost right after it was opened.
      if (this.#stop.signal.aborted) throw this.#notReady();
      const kind = this.config.kind === "stdio" ? "spawn_failed" : "transport";
      const site = {
        server: this.config.id,
        kind,
        doing: "could not be opened",
        redactor: this.#context.redactor,
      } as const;
      this.#lose(faultAt(site, thrown));
      throw this.#fault;
    }
  }

  #announcesTools(): boolean {
    const { session } = this.#connection ?? {};
    const tools = session?.capabilities["tools"];
    return session?.isListening === true && isRecord(tools) && tools["listChanged"] === true;
  }

  #catalogueFor(extensions: ExtensionKey): ToolCatalogue {
    const key = extensions === "" ? "" : this.listedFor(extensions);
    if (key === "") return this.#catalogue;
    const known = this.#classes.get(key);
    if (known) return known;
    const catalogue = new ToolCatalogue({
      list: () => this.#listClass(key),
      onChanged: (listing) => this.#toolListeners.emit(listing),
      isAnnounced: () => this.#announcesTools(),
      isOnDemand: true,
    });
    this.#classes.set(key, catalogue);
    return catalogue;
  }

  /** For clients with extensions. What is wrong with the list for all others is in the status already. */
  async #listClass(extensions: ExtensionKey): Promise<ToolListing> {
    try {
      const listing = { ...(await this.#read(extensions)), extensions };
      await this.#checkRow(listing);
      return listing;
    } catch (thrown) {
      this.#note(describeError(thrown));
      throw thrown;
    }
  }

  #read(extensions?: ExtensionKey): Promise<ToolListing> {
    const { session } = this.#ready();
    const hasParamHeaders = session.era === "modern" && this.config.kind !== "stdio";
    return listTools(session, {
      ...describeOptions(this.config, this.#context.options, hasParamHeaders),
      listMs: this.#context.timeouts.listMs,
      signal: this.#stop.signal,
      extensions: declaredFor(extensions),
      isLinked: this.#context.options.link,
    });
  }

  /** A row may name tools that only some clients get. */
  async #checkRow(listing: ToolListing): Promise<void> {
    const known = [this.#catalogue, ...this.#classes.values()].flatMap((catalogue) => catalogue.known ?? []);
    const others = known.filter(({ extensions }) => extensions !== listing.extensions);
    const rowNotes = await unknownToolNotes(this.config, () => ({
      tools: [listing, ...others].flatMap(({ tools }) => tools),
      skipped: [listing, ...others].flatMap(({ skipped }) => skipped),
      truncated: [listing, ...others].some(({ truncated }) => truncated),
    }));
    this.#rowNotes = rowNotes.map((note) => this.#context.redactor.text(note));
  }

  async #list(): Promise<ToolListing> {
    try {
      const listing = await this.#read();
      const skipped = leftOutLine("tools", listing.skipped);
      this.#skipped = skipped === undefined ? undefined : this.#context.redactor.text(skipped);
      await this.#checkRow(listing);
      this.#listFailure = undefined;
      return listing;
    } catch (thrown) {
      // The endpoint stays ready; its status shows why it has no tools.
      this.#listFailure = this.#context.redactor.text(describeError(thrown));
      this.#note(this.#listFailure);
      throw thrown;
    }
  }

  async #shutDown(): Promise<void> {
    const wasOpening = this.#phase === "connecting" ? this.#opening : undefined;
    this.#stop.abort(this.#notReady());
    this.#stopListing();
    if (this.#phase === "idle") this.#move("closed");
    if (this.#phase === "connecting" || this.#phase === "ready") this.#move("closing");
    await wasOpening?.catch(() => {});
    await this.#connection?.close();
    if (this.#phase === "closing") this.#move("closed");
  }

  /** The connection ended without a call to `close`. */
  #lose(lost: ProtocolFault): void {
    if (this.#phase !== "connecting" && this.#phase !== "ready") return;
    const fault = this.#context.redactor.value(lost);
    this.#fault = fault;
    this.#stopListing();
    void this.#abandon(fault);
    this.#move("faulted");
  }

  /**
   * Ends a lost connection. If the fault proves that one request did not run, that proves nothing for the others:
   * over HTTP each still gets its own answer; sent to a process that is gone, they may have run.
   */
  async #abandon(fault: ProtocolFault): Promise<void> {
    const connection = this.#connection;
    const canStillAnswer = fault.retrySafe && this.config.kind !== "stdio";
    if (canStillAnswer) await connection?.session.quiet(LAST_ANSWERS_MS);
    else connection?.session.lane.lose(asMayHaveRun(fault));
    await connection?.close();
  }

  #stopListing(): void {
    for (const catalogue of [this.#catalogue, ...this.#classes.values()]) catalogue.stop();
  }

  #move(to: EndpointPhase): void {
    if (!NEXT_PHASES[this.#phase].includes(to))
      throw new Error(`an endpoint cannot go from ${this.#phase} to ${to}`);
    this.#phase = to;
    if (to !== "closed" && to !== "faulted") return;
    this.#endListeners.emit(this.#fault);
    this.#endListeners.clear();
  }

  #ready(): Connection {
    if (this.#phase === "ready" && this.#connection) return this.#connection;
    throw this.#phase === "faulted" && this.#fault ? this.#fault : this.#notReady();
  }

  #notReady(): ProtocolFault {
    const { id: server } = this.config;
    const hint = this.#phase === "idle" ? "; open it first" : "";
    return new ProtocolFault("not_connected", `server "${server}" is ${this.#phase}${hint}`, {
      server,
      retrySafe: true,
    });
  }

  #note(text: string): void {
    const message = this.#context.redactor.text(text);
    if (this.#notes.length < 50 && !this.#notes.includes(message)) this.#notes.push(message);
  }
}
