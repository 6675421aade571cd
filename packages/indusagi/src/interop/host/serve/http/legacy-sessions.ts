import type { AuthInfo, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { describeError, mintUlid } from "../../../../core/index.ts";
import { RpcCode } from "../../../wire/index.ts";
import { buildServer } from "../../build-server.ts";
import type { HostCore } from "../../host-core.ts";
import { type HostPeer, introducedClient } from "../../request/host-peer.ts";
import type { loadServerSdk } from "../../server-sdk.ts";
import type { LiveToken } from "./admit/live-tokens.ts";
import type { HttpLimits } from "./http-options.ts";
import { deliverAsRead } from "./stream/as-read.ts";
import { endCancelled } from "./stream/end-cancelled.ts";
import { EventLog } from "./stream/event-log.ts";
import { RunningCalls } from "./stream/running-calls.ts";
import { SessionTokens } from "./stream/session-tokens.ts";

interface Session {
  readonly id: string;
  /** The host it was opened at. At another path of the listener it does not exist. */
  readonly core: HostCore;
  readonly principal: string | undefined;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Announces the body of a request before the transport gets it. */
  announce: (request: Request, body: unknown) => void;
  /** The tokens it is used with, if they can end. */
  tokens: SessionTokens | undefined;
  /** Requests and streams in progress. A session that has one is not idle. */
  busy: number;
  /** Running calls, including those whose stream is gone. */
  calls: number;
  lastSeen: number;
}

export interface SessionRequest {
  readonly parsedBody?: unknown;
  readonly authInfo?: AuthInfo;
  readonly live?: LiveToken;
}

/** A client that opens a session. */
interface Newcomer {
  readonly principal: string | undefined;
  readonly client: HostPeer["client"] | undefined;
  readonly introduction: HostPeer["introduction"];
}

/**
 * The sessions of the legacy era at all paths of one listener, so that its limits hold for all together. Each has its own server
 * and belongs to the principal that opened it.
 */
export class LegacySessions {
  readonly #sdk: Awaited<ReturnType<typeof loadServerSdk>>;
  readonly #limits: HttpLimits;
  readonly #sessions = new Map<string, Session>();
  readonly #calls: RunningCalls;
  readonly #sweeper: NodeJS.Timeout;

  constructor(sdk: Awaited<ReturnType<typeof loadServerSdk>>, limits: HttpLimits) {
    this.#sdk = sdk;
    this.#limits = limits;
    this.#calls = new RunningCalls(limits.requestsPerPrincipal);
    this.#sweeper = setInterval(() => this.#endIdle(), Math.min(30_000, limits.sessionIdleMs));
    this.#sweeper.unref();
  }

  get size(): number {
    return this.#sessions.size;
  }

  async handle(core: HostCore, request: Request, given: SessionRequest): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const principal = given.authInfo?.clientId;
    if (id !== null) {
      const session = this.#find(id, principal);
      return this.#serve(session?.core === core ? session : undefined, request, given);
    }
    if (!isInitialize(given.parsedBody))
      return refusal(400, RpcCode.REFUSED, "Bad Request: Mcp-Session-Id header is required");
    const introduction = core.introduction && (await core.introduction());
    if (!this.#hasRoom(principal)) return tooManySessions();
    const client = introducedClient(initializeIn(given.parsedBody));
    return this.#begin(await this.#open(core, { principal, client, introduction }), request, given);
  }

  /** Keeps a session of this principal from being idle until the returned function is called. */
  hold(id: string, principal: string | undefined): () => void {
    const session = this.#find(id, principal);
    if (!session) return () => {};
    session.busy += 1;
    return () => {
      session.busy -= 1;
      session.lastSeen = performance.now();
    };
  }

  /** Resolves when no call runs in any session. */
  settled(): Promise<void> {
    return this.#calls.settled();
  }

  /** Ends every session and the tools running in it. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.all([...this.#sessions.values()].map((session) => this.#end(session)));
  }

  /** For a principal, sessions of other principals do not exist. */
  #find(id: string, principal: string | undefined): Session | undefined {
    const session = this.#sessions.get(id);
    return session?.principal === principal ? session : undefined;
  }

  async #serve(session: Session | undefined, request: Request, given: SessionRequest): Promise<Response> {
    if (!session) return refusal(404, RpcCode.SESSION_NOT_FOUND, "Session not found");
    session.lastSeen = performance.now();
    session.announce(request, given.parsedBody);
    if (given.live) {
      session.tokens ??= new SessionTokens(
        session.transport,
        (answered) => void this.#endAfter(answered, session),
      );
      session.tokens.use(given.live, request);
    }
    return session.transport.handleRequest(request, given);
  }

  async #begin(session: Session, request: Request, given: SessionRequest): Promise<Response> {
    const response = await this.#serve(session, request, given);
    // A refused client does not get the id, so it could never use or end this session.
    if (!response.headers.has("mcp-session-id")) await this.#end(session);
    return response;
  }

  async #open(core: HostCore, { principal, client, introduction }: Newcomer): Promise<Session> {
    const { eventsPerSession, eventBytesPerSession, keepAliveMs, pollAfterMs } = this.#limits;
    // Must not be guessable: an unauthenticated client is identified by its session id only.
    const id = `${mintUlid()}-${Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex")}`;
    const transport = new this.#sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      eventStore: new EventLog({ events: eventsPerSession, bytes: eventBytesPerSession }),
      keepAliveMs,
      retryInterval: 1_000,
    });
    const session: Session = {
      id,
      core,
      principal,
      transport,
      announce: () => {},
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
      ...(principal === undefined ? {} : { principal }),
      ...(client === undefined ? {} : { client }),
      ...(pollAfterMs === undefined ? {} : { pollAfterMs }),
      introduction,
    } as const;
    const server = buildServer(core, peer, this.#sdk);
    const { onclose } = server;
    server.onclose = () => {
      this.#sessions.delete(id);
      session.tokens?.close();
      onclose?.();
    };
    // Added before the first `await`, so that concurrent requests cannot exceed the limit together.
    this.#sessions.set(id, session);
    await server.connect(transport);
    session.announce = deliverAsRead(transport);
    endCancelled(transport);
    return session;
  }

  #beginCall(session: Session): (() => void) | undefined {
    const end = this.#calls.begin(session.principal ?? "");
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

  #endIdle(): void {
    const longAgo = performance.now() - this.#limits.sessionIdleMs;
    for (const session of this.#sessions.values())
      if (session.busy === 0 && session.lastSeen < longAgo) void this.#end(session);
  }

  /** The session cannot be used from now on; it is closed when its last answers are sent. */
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

function tooManySessions(): Response {
  const message = "Too Many Requests: too many sessions are open; end one (DELETE) first";
  const response = refusal(429, RpcCode.REFUSED, message);
  response.headers.set("retry-after", "30");
  return response;
}

function isInitialize(body: unknown): boolean {
  return initializeIn(body) !== undefined;
}

function initializeIn(body: unknown): unknown {
  const messages: readonly unknown[] = Array.isArray(body) ? body : [body];
  return messages.find(
    (message) =>
      typeof message === "object" &&
      message !== null &&
      "method" in message &&
      message.method === "initialize",
  );
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status });
}
