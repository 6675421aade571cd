import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { describeError, mintUlid } from "../../../core/index.ts";
import { MAX_TIMER_MS } from "../../../core/internal.ts";
import type { RpcMessage } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { Allowances } from "../admit/allowances.ts";
import type { Refusal } from "../admit/refusal.ts";
import { connectServer } from "../build-server.ts";
import type { HostCore } from "../host-core.ts";
import type { Answer } from "../lane/answer.ts";
import { Lane } from "../lane/lane.ts";
import { ModernClients } from "../lane/modern-clients.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { type HostPeer, type Introduced, introducedIn, introducedPeer } from "../request/host-peer.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import { hasMethod } from "../stream/session-message.ts";
import { SessionTokens } from "../stream/session-tokens.ts";
import { type SessionExchange, SessionTransport, WaitingStreams } from "../stream/session-transport.ts";
import type { HttpLimits, SessionsElsewhere } from "./http-options.ts";

interface Session {
  readonly id: string;
  /** The host it was opened at. At another path of the listener it does not exist. */
  readonly core: HostCore;
  readonly principal: string | undefined;
  readonly transport: SessionTransport;
  /** The tokens it is used with, if they can end. */
  tokens: SessionTokens | undefined;
  /** Requests and streams in progress. A session that has one is not idle. */
  busy: number;
  /** Running calls, including those whose stream is gone. */
  calls: number;
  lastSeen: number;
}

export interface SessionRequest extends SessionExchange {
  readonly principal: string | undefined;
}

interface LegacySessionsOptions {
  /** How to allow more sessions. */
  readonly hint?: string | undefined;
  /** Who may have a session that is not here. */
  readonly elsewhere?: SessionsElsewhere | undefined;
}

/** A client that opens a session. */
interface Newcomer {
  readonly principal: string | undefined;
  readonly introduced: Introduced | undefined;
  readonly introduction: HostPeer["introduction"];
}

/**
 * The sessions of the legacy era at all paths of one listener, which share its limits. Each has its own server and belongs to
 * the principal that opened it.
 */
export class LegacySessions {
  readonly #sdk: Awaited<ReturnType<typeof loadServerSdk>>;
  readonly #limits: HttpLimits;
  readonly #hint: string | undefined;
  readonly #elsewhere: SessionsElsewhere | undefined;
  #hasReported = false;
  readonly #sessions = new Map<string, Session>();
  readonly #calls: Allowances;
  readonly #waitingStreams = new WaitingStreams();
  readonly #clients: ModernClients;
  readonly #sweeper: NodeJS.Timeout;
  readonly #ticker: NodeJS.Timeout | undefined;

  constructor(
    sdk: Awaited<ReturnType<typeof loadServerSdk>>,
    limits: HttpLimits,
    { hint, elsewhere }: LegacySessionsOptions = {},
  ) {
    this.#sdk = sdk;
    this.#clients = new ModernClients(sdk);
    this.#limits = limits;
    this.#hint = hint;
    this.#elsewhere = elsewhere;
    this.#calls = new Allowances(limits.requestsPerPrincipal);
    this.#sweeper = setInterval(() => this.#endIdle(), Math.min(30_000, limits.sessionIdleMs));
    this.#sweeper.unref();
    // One timer for all streams: a timer for each would cost every call.
    const tickMs = limits.keepAliveMs / 2;
    if (tickMs >= 1 && tickMs <= MAX_TIMER_MS) this.#ticker = setInterval(() => this.#tick(), tickMs).unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Answers a request, or returns why it is refused. */
  handle(core: HostCore, request: SessionRequest): Promise<Refusal | undefined> | Refusal | undefined {
    const id = request.incoming.headers["mcp-session-id"];
    if (id === undefined) return this.#begin(core, request);
    const session = this.#sessions.get(String(id));
    if (!session && this.#elsewhere)
      return this.#elsewhere
        .answer(String(id), request)
        .then((isAnswered) => (isAnswered ? undefined : NOT_FOUND));
    // For a principal, sessions of other principals do not exist.
    return session && session.principal === request.principal && session.core === core
      ? this.#serve(session, request)
      : NOT_FOUND;
  }

  async #begin(core: HostCore, request: SessionRequest): Promise<Refusal | undefined> {
    const { principal, body } = request;
    const first = initializeIn(body);
    if (first === undefined)
      return {
        status: 400,
        code: RpcCode.REFUSED,
        message: "Bad Request: Mcp-Session-Id header is required",
      };
    const introduction = core.introduction && (await core.introduction());
    if (!this.#hasRoom(principal)) return this.#tooMany(core);
    const introduced = introducedIn(first);
    const session = await this.#open(core, { principal, introduced, introduction });
    const refusal = this.#serve(session, request);
    // A refused client does not get the id, so it could never use or end this session.
    if (refusal) await this.#end(session);
    return refusal;
  }

  /** Resolves when no call runs in any session. */
  settled(): Promise<void> {
    return this.#calls.settled();
  }

  /** Ends every session and the tools running in it. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    clearInterval(this.#ticker);
    this.#waitingStreams.close();
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  #serve(session: Session, request: SessionRequest): Refusal | undefined {
    const { transport } = session;
    const { live, outgoing } = request;
    session.lastSeen = performance.now();
    session.busy += 1;
    outgoing.on("close", () => {
      session.busy -= 1;
      session.lastSeen = performance.now();
    });
    if (live) {
      session.tokens ??= new SessionTokens(transport, (answered) => void this.#endAfter(answered, session));
      session.tokens.use(live);
    }
    return transport.handle(request);
  }

  #tick(): void {
    for (const { transport } of this.#sessions.values()) transport.tick();
  }

  async #open(core: HostCore, { principal, introduced, introduction }: Newcomer): Promise<Session> {
    const { pollAfterMs } = this.#limits;
    // Must not be guessable: an unauthenticated client is identified by its session id only.
    const own = `${mintUlid()}-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`;
    const id = this.#elsewhere?.idFor(own) ?? own;
    const transport = new SessionTransport(id, {
      ...this.#limits,
      isInitialize: this.#sdk.isInitializeRequest,
      waitingStreams: this.#waitingStreams,
    });
    const session: Session = {
      id,
      core,
      principal,
      transport,
      tokens: undefined,
      busy: 0,
      calls: 0,
      lastSeen: performance.now(),
    };
    const peer = {
      era: "legacy",
      session: `session_${id.slice(0, 26)}`,
      isConnection: true,
      measured: this.#limits.json,
      begin: () => this.#beginCall(session),
      onGiven: (request: string | number) => session.tokens?.give(request),
      principal,
      ...introducedPeer("legacy", introduced, core.passesExtension),
      pollAfterMs,
      introduction,
    } as const;
    const connection = connectServer(core, peer, this.#sdk);
    const { server } = connection;
    const { onclose } = server;
    server.onclose = () => {
      this.#sessions.delete(id);
      session.tokens?.close();
      onclose?.();
    };
    // Added before the first `await`, so concurrent requests cannot exceed the limit.
    this.#sessions.set(id, session);
    await server.connect(transport);
    if (core.usesLane) this.#openLane(connection, transport);
    return session;
  }

  #openLane(connection: HostConnection, transport: SessionTransport): void {
    const { onmessage } = transport;
    const link = {
      answer: ({ message, pieces }: Answer): void =>
        transport.answer(message as JSONRPCMessage, message.id, pieces),
      notify: (message: RpcMessage, id: string | number): Promise<void> =>
        transport.send(message as JSONRPCMessage, { relatedRequestId: id }),
      handOver: (message: RpcMessage): void => onmessage?.(message as JSONRPCMessage),
      report: (message: string): void => connection.core.report(message),
    };
    const lane = new Lane(connection, link, this.#clients);
    transport.onmessage = (message, extra) => {
      if (!lane.take(message as RpcMessage, extra?.closeSSEStream)) onmessage?.(message, extra);
    };
  }

  #beginCall(session: Session): (() => void) | undefined {
    const end = this.#calls.take(session.principal ?? "");
    if (!end) return undefined;
    session.calls += 1;
    return () => {
      end();
      session.calls -= 1;
      session.lastSeen = performance.now();
    };
  }

  /**
   * Whether this principal may open a session. Most clients leave without ending theirs, so the session that has been
   * idle longest is ended to make space.
   */
  #hasRoom(principal: string | undefined): boolean {
    const { sessions, sessionsPerPrincipal, sessionSparedMs } = this.#limits;
    const own = [...this.#sessions.values()].filter((session) => session.principal === principal);
    if (own.length < sessionsPerPrincipal && this.#sessions.size < sessions) return true;
    const [idlest] = own
      .filter(({ busy, calls }) => busy === 0 && calls === 0)
      .sort((a, b) => a.lastSeen - b.lastSeen);
    if (!idlest || idlest.lastSeen > performance.now() - sessionSparedMs) return false;
    void this.#end(idlest);
    return true;
  }

  /** Reported once: who refuses clients should know, and clients often show nothing of it. */
  #tooMany(core: HostCore): Refusal {
    const { sessions, sessionsPerPrincipal } = this.#limits;
    const isFull = this.#sessions.size >= sessions;
    const limit = isFull ? `${sessions} in all` : `${sessionsPerPrincipal} for one principal`;
    const hint = this.#hint === undefined ? "" : `, or ${this.#hint}`;
    const refused = `too many sessions are open (the limit is ${limit}); end one (DELETE) first${hint}`;
    if (!this.#hasReported) core.report(`a client was refused: ${refused}`);
    this.#hasReported = true;
    return {
      status: 429,
      code: RpcCode.REFUSED,
      message: `Too Many Requests: ${refused}`,
      headers: { "retry-after": "30" },
    };
  }

  #endIdle(): void {
    const longAgo = performance.now() - this.#limits.sessionIdleMs;
    for (const session of this.#sessions.values())
      if (session.busy === 0 && session.lastSeen < longAgo) void this.#end(session);
  }

  /** Rejects new requests to the session, and closes it when its last answers are sent. */
  async #endAfter(answered: Promise<unknown>, session: Session): Promise<void> {
    this.#sessions.delete(session.id);
    await answered;
    await this.#end(session);
  }

  /** Ends a session. Errors of a provider at this point are ignored. */
  async #end({ id, core, transport }: Session): Promise<void> {
    this.#sessions.delete(id);
    await transport.close().catch((thrown: unknown) => core.report(describeError(thrown)));
  }
}

const NOT_FOUND: Refusal = {
  status: 404,
  code: RpcCode.SESSION_NOT_FOUND,
  message: "Session not found",
};

function initializeIn(body: unknown): unknown {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.find((message) => hasMethod(message, "initialize"));
}
