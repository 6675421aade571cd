import { callListener, describeError, escapeForDisplay, untilAborted } from "../../core/index.ts";
import { definedMembers, redactText } from "../../core/internal.ts";
import {
  createEraMemory,
  type EndpointOptions,
  isProtocolFault,
  isUsablePhase,
  type Lease,
  oauthProviderFor,
  type QuestionAnswerer,
  type ServerConfig,
  type ServerEndpoint,
  ServerFleetImpl,
  type ServerSession,
} from "../../interop/index.ts";
import { createResourceWatch, type ResourceWatch } from "../../interop/internal.ts";
import type { Caller, CallerAbilities } from "../../runtime/index.ts";
import type { MCPAuthProvider, MCPClientOptions, MCPLoggingLevel } from "../contract/index.ts";
import {
  createNotConnectedError,
  type ErrorPlace,
  isMCPError,
  MCPError,
  type MCPErrorCode,
  translateError,
} from "../errors/index.ts";
import { type ClientHandlers, checkedRoots, clientCaller, handleNotification } from "./client-handlers.ts";
import { FleetMember } from "./fleet-member.ts";
import {
  DEFAULT_TIMEOUT,
  requestTimes,
  secretsOf,
  toServerConfig,
  withoutCallDeadline,
} from "./translate-config.ts";

/** An open connection and its state in the client. */
export interface ReadyConnection {
  readonly endpoint: ServerEndpoint;
  readonly session: ServerSession;
  readonly watch: ResourceWatch;
  /** Resources watched on the connection before and not yet on this one. */
  readonly unrenewed: Set<string>;
  /** The abilities that were declared to the server when it was connected. */
  readonly declared: CallerAbilities;
}

/** The parts of an error besides its message. */
export interface ErrorParts {
  readonly details?: unknown;
  readonly toolName?: string | undefined;
  readonly cause?: unknown;
}

/** The state of an `MCPClient`: its handlers, its log, and one connection at a time from a fleet. */
export class ClientCore {
  readonly options: MCPClientOptions;
  readonly serverName: string;
  readonly timeout: number;
  readonly handlers: ClientHandlers;
  /** The default caller of calls. */
  readonly caller: Caller & QuestionAnswerer;
  /** The level that the program set. If undefined, requests that must name a level use `info`. */
  logLevel: MCPLoggingLevel | undefined;
  readonly #secrets: readonly string[];
  readonly #eras = createEraMemory();
  #provider: MCPAuthProvider | undefined;
  #member: FleetMember | undefined;
  #attached: ReadyConnection | undefined;

  constructor(options: MCPClientOptions) {
    const { name, timeout = DEFAULT_TIMEOUT, roots, elicitation, sampling, logger } = options;
    this.options = options;
    this.serverName = name;
    this.timeout = timeout;
    this.#secrets = secretsOf(options.config);
    this.handlers = { elicitation, sampling, logger, roots: roots && checkedRoots(roots, name) };
    this.caller = clientCaller({
      serverName: name,
      handlers: this.handlers,
      note: (message) => this.note("warning", message),
    });
  }

  get wantsLogs(): boolean {
    return this.options.enableServerLogs !== false;
  }

  /** The connection, while it is usable. */
  get current(): ReadyConnection | undefined {
    const endpoint = this.#member?.endpoint;
    return endpoint && isUsablePhase(endpoint.phase) ? this.attach(endpoint) : undefined;
  }

  /** Takes connections from a pool's fleet from now on, or without one from its own fleet again. */
  moveTo(member: FleetMember | undefined): void {
    this.#attached = undefined;
    this.#member = member;
  }

  /** Connects, joins a running attempt, or returns the open connection. */
  async connect(signal?: AbortSignal): Promise<ReadyConnection> {
    this.#member ??= this.#memberOfOne();
    try {
      return this.attach(await untilAborted(this.#member.connect(), signal));
    } catch (thrown) {
      throw this.translate(thrown, { site: "connect", signal });
    }
  }

  /** Never rejects. */
  async disconnect(): Promise<void> {
    this.#attached = undefined;
    await this.#member?.disconnect();
  }

  /** True if a failed call certainly did not run and can be sent again on the next connection. */
  canRepeat(thrown: unknown, { endpoint }: ReadyConnection): boolean {
    const cause = isMCPError(thrown) ? thrown.cause : undefined;
    const isSafe = isProtocolFault(cause) && cause.retrySafe;
    return isSafe && this.#restarts && !isUsablePhase(endpoint.phase);
  }

  /** Runs `work` on the connection. In a pool this waits for a server that is being restarted. */
  async use<Result>(
    work: (ready: ReadyConnection) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    for (;;) {
      const lease = await this.#lease(signal);
      const { endpoint } = lease;
      try {
        if (isUsablePhase(endpoint.phase)) return await work(this.attach(endpoint));
      } finally {
        lease.release();
      }
      // The connection ended just after it was leased. A pool waits for the next one.
      if (!this.#restarts) throw this.notConnected(endpoint.status().fault);
    }
  }

  /** The configuration of the server. Throws a `CONFIG_ERROR`. */
  serverConfig(): ServerConfig {
    return withoutCallDeadline(toServerConfig(this.options));
  }

  /** The options of the server's endpoints, except the transport. */
  endpointOptions(): EndpointOptions {
    const { config } = this.options;
    // A program without types may pass null.
    const auth = this.#tokens() || undefined;
    const fetch = ("url" in config && config.fetch) || undefined;
    return definedMembers({ answers: this.caller, eras: this.#eras, auth, fetch });
  }

  /** The same provider for every connection: it knows which token was refused. */
  #tokens(): MCPAuthProvider | undefined {
    const { auth, tokenStore } = this.options;
    if (auth || !tokenStore) return auth;
    this.#provider ??= oauthProviderFor(this.serverConfig(), { store: tokenStore });
    return this.#provider;
  }

  /** Creates the error that explains why there is no usable connection. */
  notConnected(fault: unknown = this.#member?.endpoint?.status().fault): MCPError {
    if (fault === undefined) return createNotConnectedError(this.serverName);
    const why = redactText(describeError(fault), this.#secrets);
    const message = `the client of server "${this.serverName}" is not connected: ${why}; call connect() again`;
    return this.error("NOT_CONNECTED", message, { cause: fault });
  }

  /** Creates an error that names this server. */
  error(code: MCPErrorCode, message: string, parts: ErrorParts = {}): MCPError {
    const { details, ...context } = parts;
    return new MCPError(message, code, details, {
      ...context,
      serverName: this.serverName,
      secrets: this.#secrets,
    });
  }

  /** Converts anything that was thrown to the error to throw instead. */
  translate(thrown: unknown, place: Omit<ErrorPlace, "serverName" | "secrets">): unknown {
    return translateError(thrown, { ...place, serverName: this.serverName, secrets: this.#secrets });
  }

  /** Logs a message from the client itself. */
  note(level: MCPLoggingLevel, message: string): void {
    const shown = escapeForDisplay(message);
    callListener(this.handlers.logger, {
      level,
      message: shown,
      timestamp: new Date(),
      serverName: this.serverName,
    });
  }

  /** Connects handlers, log level and subscriptions to an open endpoint, once per endpoint. */
  attach(endpoint: ServerEndpoint): ReadyConnection {
    const before = this.#attached;
    if (before?.endpoint === endpoint) return before;
    const session = endpoint.session();
    const watch = createResourceWatch(session, { timeoutMs: requestTimes(this.timeout).timeoutMs });
    const ready: ReadyConnection = {
      endpoint,
      session,
      watch,
      unrenewed: new Set(),
      declared: this.caller.can,
    };
    this.#attached = ready;
    this.#listen(ready);
    this.#requestLogLevel(ready);
    if (before && this.#restarts) this.#resume(before, ready);
    return ready;
  }

  /** Whether a lost connection is replaced without calling `connect`. */
  get #restarts(): boolean {
    return this.#member?.restarts === true;
  }

  /** A client outside a pool has its own fleet: one server, no supervision. */
  #memberOfOne(): FleetMember {
    const { serverName: server } = this;
    const fleet = new ServerFleetImpl({
      supervision: false,
      transport: () => this.options.transport?.(),
      endpointOptions: () => this.endpointOptions(),
    });
    const member = new FleetMember({ server, fleet, restarts: false, config: () => this.serverConfig() });
    fleet.onStatus(({ phase }) => {
      const { endpoint } = member;
      // Handlers must be in place before the server's first notification.
      if (this.#member === member && isUsablePhase(phase) && endpoint) this.attach(endpoint);
    });
    return member;
  }

  /** Without restarts, a request does not wait for a running start. */
  async #lease(signal: AbortSignal | undefined): Promise<Lease> {
    const member = this.#member;
    if (!member?.endpoint) throw createNotConnectedError(this.serverName);
    if (!member.restarts && !isUsablePhase(member.endpoint.phase)) throw this.notConnected();
    try {
      return await member.acquire(signal);
    } catch (thrown) {
      signal?.throwIfAborted();
      throw this.notConnected(thrown);
    }
  }

  /** After a restart: renews the subscriptions and calls the handlers, because every list may have changed meanwhile. */
  #resume(before: ReadyConnection, ready: ReadyConnection): void {
    const { serverName, handlers } = this;
    for (const uri of [...before.watch.uris, ...before.unrenewed]) {
      ready.unrenewed.add(uri);
      void this.#renew(uri, ready);
    }
    callListener(handlers.toolListChanged, { serverName });
    callListener(handlers.resourceListChanged, { serverName });
    callListener(handlers.promptListChanged, { serverName });
  }

  async #renew(uri: string, { watch, endpoint, unrenewed }: ReadyConnection): Promise<void> {
    try {
      await watch.add(uri);
    } catch (thrown) {
      if (!isUsablePhase(endpoint.phase)) return; // The next connection tries again.
      const why = describeError(this.translate(thrown, { site: "resource" }));
      this.note("warning", `resource ${uri} is no longer watched: ${why}`);
    }
    unrenewed.delete(uri);
  }

  /** A legacy server remembers the level per connection, so every new connection asks for it. The answer is not awaited. */
  #requestLogLevel({ session, endpoint }: ReadyConnection): void {
    const level = this.logLevel;
    if (level === undefined || session.era === "modern" || session.capabilities["logging"] === undefined)
      return;
    session.request("logging/setLevel", { level }, requestTimes(this.timeout)).catch((thrown: unknown) => {
      if (!isUsablePhase(endpoint.phase)) return;
      const why = describeError(this.translate(thrown, { site: "request" }));
      this.note("warning", `the server refused the log level: ${why}`);
    });
  }

  #listen({ session, endpoint }: ReadyConnection): void {
    const { serverName, handlers } = this;
    endpoint.onEnd((fault) => {
      if (fault) this.note("error", describeError(this.translate(fault, { site: "request" })));
    });
    session.onNotification((notification) =>
      handleNotification(notification, { serverName, handlers, wantsLogs: this.wantsLogs }),
    );
    endpoint.onToolsChanged(() => callListener(handlers.toolListChanged, { serverName }));
  }
}
