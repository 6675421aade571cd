import { callListener, describeError, escapeForDisplay, Listeners, untilAborted } from "../../core/index.ts";
import {
  createEraMemory,
  createServerEndpoint,
  isTerminalPhase,
  isUsablePhase,
  type QuestionAnswerer,
  type ServerEndpoint,
  type ServerSession,
} from "../../interop/index.ts";
import type { Caller, CallerAbilities } from "../../runtime/index.ts";
import type { MCPClientOptions, MCPLoggingLevel } from "../contract/index.ts";
import { createNotConnectedError, MCPError, type MCPErrorCode, redactText } from "../errors/index.ts";
import {
  DEFAULT_TIMEOUT,
  type ErrorPlace,
  secretsOf,
  toServerConfig,
  translateError,
} from "../translate/index.ts";
import { clientCaller } from "./answer-questions.ts";
import { type ClientHandlers, checkedRoots } from "./client-handlers.ts";
import { requestTimes, withoutCallDeadline } from "./client-timeouts.ts";
import { hearNotification } from "./on-notifications.ts";
import { createResourceWatch, type ResourceWatch } from "./watch-resources.ts";

/** A connection that stands. */
export interface ReadyConnection {
  readonly endpoint: ServerEndpoint;
  readonly session: ServerSession;
  readonly watch: ResourceWatch;
  /** What the server was told, when it was connected, that it can ask for. */
  readonly declared: CallerAbilities;
  /** Whether the tools have been listed on this connection. */
  hasListed: boolean;
}

/** What an error says beside its message. */
export interface MoreOfError {
  readonly details?: unknown;
  readonly toolName?: string;
  readonly cause?: unknown;
}

interface Connection {
  readonly endpoint: ServerEndpoint;
  readonly opening: Promise<ReadyConnection>;
  ready?: ReadyConnection;
}

/** The life of a client's connections: one at a time, each an endpoint of its own, the handlers the same for all. */
export class ClientCore {
  readonly options: MCPClientOptions;
  readonly serverName: string;
  readonly timeout: number;
  readonly handlers: ClientHandlers;
  /** Whoever stands behind calls that name no other caller. */
  readonly caller: Caller & QuestionAnswerer;
  /** What the server is asked to report. Nobody has asked yet: where it has to be asked with every request, `info`. */
  logLevel: MCPLoggingLevel | undefined;
  readonly #secrets: readonly string[];
  readonly #eras = createEraMemory();
  readonly #listeners = new Listeners();
  #connection: Connection | undefined;

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

  get hearsLogs(): boolean {
    return this.options.enableServerLogs !== false;
  }

  get isConnected(): boolean {
    const ready = this.#connection?.ready;
    return ready !== undefined && isUsablePhase(ready.endpoint.phase);
  }

  /** Connects, joins a connecting that is under way, or finds the connection there. */
  async connect(signal?: AbortSignal): Promise<ReadyConnection> {
    const current = this.#connection;
    const isOver =
      !current || current.endpoint.phase === "closing" || isTerminalPhase(current.endpoint.phase);
    try {
      const connection = isOver ? this.#mint() : current;
      return await untilAborted(connection.opening, signal);
    } catch (thrown) {
      throw this.translate(thrown, { site: "connect", signal });
    }
  }

  /** Never rejects. */
  async disconnect(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.endpoint.close();
  }

  /** The connection, or the error that says how to get one. */
  ready(): ReadyConnection {
    const { ready, endpoint } = this.#connection ?? {};
    if (ready && isUsablePhase(ready.endpoint.phase)) return ready;
    const fault = endpoint?.status().fault;
    if (!fault) throw createNotConnectedError(this.serverName);
    const why = redactText(fault.message, this.#secrets);
    throw this.error(
      "NOT_CONNECTED",
      `the client of server "${this.serverName}" is not connected: ${why}; call connect() again`,
      { cause: fault },
    );
  }

  /** An error of ours about this server. */
  error(code: MCPErrorCode, message: string, more: MoreOfError = {}): MCPError {
    const { details, ...context } = more;
    return new MCPError(message, code, details, {
      ...context,
      serverName: this.serverName,
      secrets: this.#secrets,
    });
  }

  /** Whatever was thrown, as the error to throw in its place. */
  translate(thrown: unknown, place: Omit<ErrorPlace, "serverName" | "secrets">): unknown {
    return translateError(thrown, { ...place, serverName: this.serverName, secrets: this.#secrets });
  }

  /** Hears that the connection stands or is over, or that its tools became others. Returns the way to stop listening. */
  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Puts something of our own before the logger. */
  note(level: MCPLoggingLevel, message: string): void {
    const shown = escapeForDisplay(message);
    callListener(this.handlers.logger, {
      level,
      message: shown,
      timestamp: new Date(),
      serverName: this.serverName,
    });
  }

  #mint(): Connection {
    const { config, auth, transport } = this.options;
    const serverConfig = withoutCallDeadline(toServerConfig(this.options));
    const fetch = "url" in config ? config.fetch : undefined;
    const endpoint = createServerEndpoint(serverConfig, transport?.(), {
      answers: this.caller,
      eras: this.#eras,
      ...(auth ? { auth } : {}),
      ...(fetch ? { fetch } : {}),
    });
    const connection: Connection = { endpoint, opening: this.#open(endpoint) };
    this.#connection = connection;
    connection.opening
      .then((ready) => {
        connection.ready = ready;
        this.#changed();
      })
      .catch(() => {}); // Whoever waits is told; when nobody does any more, it is no unhandled rejection.
    return connection;
  }

  async #open(endpoint: ServerEndpoint): Promise<ReadyConnection> {
    const declared = this.caller.can;
    let isOpen = false;
    endpoint.onEnd((fault) => {
      // Whoever connects hears of a failure there; of a loss afterwards only the log can tell.
      if (fault && isOpen) this.note("error", describeError(this.translate(fault, { site: "request" })));
      this.#changed();
    });
    await endpoint.open();
    isOpen = true;
    const session = endpoint.session();
    const watch = createResourceWatch(session, requestTimes(this.timeout));
    const ready: ReadyConnection = { endpoint, session, watch, declared, hasListed: false };
    this.#hear(ready);
    this.#askForLogs(ready);
    return ready;
  }

  /** A legacy server was asked once, and a new connection is a new server to ask. Nobody waits for it. */
  #askForLogs({ session, endpoint }: ReadyConnection): void {
    const level = this.logLevel;
    if (level === undefined || session.era === "modern" || session.capabilities["logging"] === undefined)
      return;
    session.request("logging/setLevel", { level }, requestTimes(this.timeout)).catch((thrown: unknown) => {
      if (!isUsablePhase(endpoint.phase)) return;
      const why = describeError(this.translate(thrown, { site: "request" }));
      this.note("warning", `the server does not take the level of its messages again: ${why}`);
    });
  }

  #hear(ready: ReadyConnection): void {
    const { serverName, handlers } = this;
    const { session, endpoint } = ready;
    session.onNotification((notification) => {
      hearNotification(notification, { serverName, handlers, hearsLogs: this.hearsLogs });
      // Of a list that nobody has seen there is no old version to compare with; of any other the catalogue will tell.
      if (notification.method === "notifications/tools/list_changed" && !ready.hasListed)
        callListener(handlers.toolListChanged, { serverName });
    });
    endpoint.onToolsChanged(() => {
      callListener(handlers.toolListChanged, { serverName });
      this.#changed();
    });
  }

  #changed(): void {
    this.#listeners.emit();
  }
}
