import { callListener, describeError, escapeForDisplay, untilAborted } from "../../core/index.ts";
import { redactText } from "../../core/internal.ts";
import {
  createEraMemory,
  createServerEndpoint,
  type EndpointOptions,
  isProtocolFault,
  isUsablePhase,
  type Lease,
  oauthProviderFor,
  type QuestionAnswerer,
  type ServerConfig,
  type ServerEndpoint,
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
import { clientCaller } from "./answer-questions.ts";
import { type ClientHandlers, checkedRoots } from "./client-handlers.ts";
import { requestTimes, withoutCallDeadline } from "./client-timeouts.ts";
import { type EndpointSource, OwnEndpoints } from "./endpoint-source.ts";
import { handleNotification } from "./on-notifications.ts";
import { DEFAULT_TIMEOUT, secretsOf, toServerConfig } from "./translate-config.ts";

/** An open connection and its state in the client. */
export interface ReadyConnection {
  readonly endpoint: ServerEndpoint;
  readonly session: ServerSession;
  readonly watch: ResourceWatch;
  /** Resources watched on the connection before and not yet on this one. */
  readonly unrenewed: Set<string>;
  /** The abilities that were declared to the server when it was connected. */
  readonly declared: CallerAbilities;
  /** Whether the tools have been listed on this connection. */
  hasListed: boolean;
}

/** The parts of an error besides its message. */
export interface ErrorParts {
  readonly details?: unknown;
  readonly toolName?: string;
  readonly cause?: unknown;
}

/** The state of an `MCPClient`: its handlers, its log, and one connection at a time from its source. */
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
  #source: EndpointSource;
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
    this.#source = this.#ownEndpoints();
  }

  get wantsLogs(): boolean {
    return this.options.enableServerLogs !== false;
  }

  /** The connection, while it is usable. */
  get current(): ReadyConnection | undefined {
    const { endpoint } = this.#source;
    return endpoint && isUsablePhase(endpoint.phase) ? this.attach(endpoint) : undefined;
  }

  /** Changes the source of connections. Default: endpoints of this client alone. */
  moveTo(source: EndpointSource = this.#ownEndpoints()): void {
    this.#attached = undefined;
    this.#source = source;
  }

  /** Connects, joins the attempt under way, or returns the open connection. */
  async connect(signal?: AbortSignal): Promise<ReadyConnection> {
    try {
      return this.attach(await untilAborted(this.#source.connect(), signal));
    } catch (thrown) {
      throw this.translate(thrown, { site: "connect", signal });
    }
  }

  /** Never rejects. */
  async disconnect(): Promise<void> {
    this.#attached = undefined;
    await this.#source.disconnect();
  }

  /** True if a failed call certainly did not run and can be sent again on the next connection. */
  canRepeat(thrown: unknown, { endpoint }: ReadyConnection): boolean {
    const cause = isMCPError(thrown) ? thrown.cause : undefined;
    const isSafe = isProtocolFault(cause) && cause.retrySafe;
    return isSafe && this.#source.restarts && !isUsablePhase(endpoint.phase);
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
      if (!this.#source.restarts) throw this.notConnected(endpoint.status().fault);
    }
  }

  /** The configuration of the server. Throws a `CONFIG_ERROR`. */
  serverConfig(): ServerConfig {
    return withoutCallDeadline(toServerConfig(this.options));
  }

  /** The options of the server's endpoints, except the transport. */
  endpointOptions(): EndpointOptions {
    const { config } = this.options;
    const auth = this.#tokens();
    const fetch = "url" in config ? config.fetch : undefined;
    return {
      answers: this.caller,
      eras: this.#eras,
      ...(auth ? { auth } : {}),
      ...(fetch ? { fetch } : {}),
    };
  }

  /** The same provider for every connection: it knows which token was refused. */
  #tokens(): MCPAuthProvider | undefined {
    const { auth, tokenStore } = this.options;
    if (auth || !tokenStore) return auth;
    this.#provider ??= oauthProviderFor(this.serverConfig(), { store: tokenStore });
    return this.#provider;
  }

  /** Creates the error that explains why there is no usable connection. */
  notConnected(fault: unknown = this.#source.endpoint?.status().fault): MCPError {
    if (fault === undefined) return createNotConnectedError(this.serverName);
    const why = redactText(describeError(fault), this.#secrets);
    const message = `the client of server "${this.serverName}" is not connected: ${why}; call connect() again`;
    return this.error("NOT_CONNECTED", message, { cause: fault });
  }

  /** Creates an error about this server. */
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

  /** Logs a message of the client itself. */
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
      hasListed: false,
    };
    this.#attached = ready;
    this.#listen(ready);
    this.#requestLogLevel(ready);
    if (before && this.#source.restarts) this.#resume(before, ready);
    return ready;
  }

  #ownEndpoints(): OwnEndpoints {
    const mint = (): ServerEndpoint =>
      createServerEndpoint(this.serverConfig(), this.options.transport?.(), this.endpointOptions());
    return new OwnEndpoints(mint, (endpoint) => void this.attach(endpoint));
  }

  async #lease(signal: AbortSignal | undefined): Promise<Lease> {
    if (!this.#source.endpoint) throw createNotConnectedError(this.serverName);
    try {
      return await this.#source.acquire(signal);
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

  #listen(ready: ReadyConnection): void {
    const { serverName, handlers } = this;
    const { session, endpoint } = ready;
    endpoint.onEnd((fault) => {
      if (fault) this.note("error", describeError(this.translate(fault, { site: "request" })));
    });
    session.onNotification((notification) => {
      handleNotification(notification, { serverName, handlers, wantsLogs: this.wantsLogs });
      // The catalogue reports no change of a list that was never fetched.
      if (notification.method === "notifications/tools/list_changed" && !ready.hasListed)
        callListener(handlers.toolListChanged, { serverName });
    });
    endpoint.onToolsChanged(() => callListener(handlers.toolListChanged, { serverName }));
  }
}
