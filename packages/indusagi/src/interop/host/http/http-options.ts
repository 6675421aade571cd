import type { IncomingMessage, ServerResponse } from "node:http";
import type { ProviderHost } from "../../contract/index.ts";
import type { TokenVerifier } from "../admit/bearer.ts";
import { type JsonBudget, resolveJsonBudget } from "../request/json-budget.ts";

/** Limits of one listener. All can be changed; none is unlimited. */
export interface HttpLimits {
  /** Longest request body, in bytes. */
  readonly bodyBytes: number;
  /** Messages in one body. */
  readonly batch: number;
  readonly json: JsonBudget;
  /** Time for a client to send its headers, and then its whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** A session without a request or an open stream for this long is ended. */
  readonly sessionIdleMs: number;
  /** Default 128; without a `verifier` all clients are one principal, and the default is `sessions`. */
  readonly sessionsPerPrincipal: number;
  /** Sessions of all principals. Default 1,024, which take about 60 MB. */
  readonly sessions: number;
  /**
   * If no session is free, the principal's session that has been idle longest is ended, provided it has been idle
   * this long.
   */
  readonly sessionSparedMs: number;
  /** Open notification streams of one principal. Default 128; without a `verifier`, one for each session. */
  readonly streamsPerPrincipal: number;
  /** Concurrent requests of one principal. Its running calls, even those whose client lost the stream, have the same limit. */
  readonly requestsPerPrincipal: number;
  readonly connections: number;
  /** A client that reads nothing of its answer for this long is treated as gone. */
  readonly stalledMs: number;
  /** How long `close` waits for running requests before it ends them. */
  readonly drainMs: number;
  /** Interval of the verifier's `recheck` for each token in use. */
  readonly recheckMs: number;
  /** Interval of keep-alive messages on an open stream. */
  readonly keepAliveMs: number;
  /**
   * A legacy call that has run this long loses its stream; the client is told to return for the rest. For proxies
   * that cut long responses. Default: never.
   */
  readonly pollAfterMs?: number;
  /** How much a session stores for a client that lost its stream. */
  readonly eventsPerSession: number;
  readonly eventBytesPerSession: number;
}

/** Fills in the defaults. A limit that is `undefined` keeps its default: spreading it over the defaults would turn it off. */
export function resolveHttpLimits(given: Partial<HttpLimits> = {}): HttpLimits {
  const { pollAfterMs } = given;
  return {
    bodyBytes: given.bodyBytes ?? 4 * 1024 * 1024,
    batch: given.batch ?? 100,
    json: resolveJsonBudget(given.json),
    headersMs: given.headersMs ?? 10_000,
    requestMs: given.requestMs ?? 30_000,
    sessionIdleMs: given.sessionIdleMs ?? 30 * 60_000,
    sessionsPerPrincipal: given.sessionsPerPrincipal ?? 128,
    sessions: given.sessions ?? 1024,
    sessionSparedMs: given.sessionSparedMs ?? 60_000,
    streamsPerPrincipal: given.streamsPerPrincipal ?? 128,
    requestsPerPrincipal: given.requestsPerPrincipal ?? 512,
    connections: given.connections ?? 4096,
    stalledMs: given.stalledMs ?? 60_000,
    drainMs: given.drainMs ?? 5_000,
    recheckMs: given.recheckMs ?? 30_000,
    keepAliveMs: given.keepAliveMs ?? 15_000,
    eventsPerSession: given.eventsPerSession ?? 1_000,
    eventBytesPerSession: given.eventBytesPerSession ?? 4 * 1024 * 1024,
    ...(pollAfterMs === undefined ? {} : { pollAfterMs }),
  };
}

/**
 * The limits of a listener without tokens. Its clients are one principal, so what is meant to protect principals from each other
 * would only refuse the 129th client.
 */
export function withoutPrincipals(given: Partial<HttpLimits> = {}): Partial<HttpLimits> {
  const { sessions } = resolveHttpLimits(given);
  const { sessionsPerPrincipal = sessions, streamsPerPrincipal = sessions } = given;
  return { ...given, sessionsPerPrincipal, streamsPerPrincipal };
}

/** Hosts at further paths of one listener. They may come and go while it listens. */
export interface HttpRoutes {
  /** The host at a path below the main one, such as `/mcp/notes`; undefined if this principal has none there. */
  find(path: string, principal?: string): ProviderHost | undefined;
  /** The paths of this principal. They are named to a client that asks for another one. */
  paths(principal?: string): readonly string[];
}

/** A page besides the endpoint, such as a health check. It answers GET and HEAD. */
export interface HttpPage {
  /** Needs no token on any address. Default: needs none on localhost, unless a proxy forwarded the request. */
  readonly isOpen?: boolean;
  /** Whether the principal of a token may see it, where one is needed. Default: any may. */
  readonly allows?: (principal: string) => boolean;
  answer(): Promise<HttpPageAnswer> | HttpPageAnswer;
}

export interface HttpPageAnswer {
  readonly status: number;
  /** The content type. */
  readonly type: string;
  readonly body: string;
}

/**
 * A web site next to the endpoint, such as a page for people. Only the name of the host is checked before it gets a request: who may
 * see what, and which pages may ask, is its own affair.
 */
export interface HttpSite {
  /** Whether a request target is the site's. Called for every request of the listener, so it must be fast. */
  has(target: string): boolean;
  /** Answers a request. If it throws, the client gets an error without the reason, which is reported. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
}

/** Other listeners that serve the same clients, such as gateways of a cluster. */
export interface SessionsElsewhere {
  /** The id that a client gets for a session opened here. It starts with the id given, which nobody can guess. */
  idFor(id: string): string;
  /** Answers a request for a session that is not here. Resolves to false if nobody has the session: then nothing was answered. */
  answer(id: string, request: ElsewhereRequest): Promise<boolean>;
}

/** A request whose sender was admitted and whose body was read. */
export interface ElsewhereRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The JSON-RPC message or messages of a POST. */
  readonly body?: unknown;
}

export interface HttpServeOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  /** Default `127.0.0.1`. An address that other machines can reach requires a `verifier`. */
  readonly host?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  /** Hosts below that path. A session belongs to the path at which it was opened; the limits hold for all paths together. */
  readonly routes?: HttpRoutes;
  /** Identifies the principal of a bearer token. If set, requests without a valid token are refused. */
  readonly verifier?: TokenVerifier;
  /**
   * Serve requests without an `Authorization` header too, without a principal. Only on an address that no other machine can
   * reach, and only requests that no proxy forwarded. Default: false.
   */
  readonly admitsAnonymous?: boolean;
  /** The audience that tokens must name. Default: this listener's URL. */
  readonly audience?: string;
  /** Where a refused client learns how to get a token (RFC 9728). */
  readonly resourceMetadataUrl?: string;
  /** Host names that clients may use besides those of localhost. */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may call us from a browser. Their preflight requests are answered too. */
  readonly allowedOrigins?: readonly string[];
  /** Pages at other paths, such as `/healthz`. */
  readonly pages?: { readonly [path: string]: HttpPage };
  /** Default: there is none. */
  readonly site?: HttpSite;
  readonly limits?: Partial<HttpLimits>;
  /** How to allow more sessions, for clients that are refused one. */
  readonly sessionsHint?: string;
  /** Default: all sessions are here. */
  readonly elsewhere?: SessionsElsewhere | undefined;
}

/** What a listener has open now. */
export interface HttpListenerStats {
  /** Sessions of the legacy era. */
  readonly sessions: number;
  /** Requests that are being answered, without streams for notifications. */
  readonly requests: number;
  readonly streams: number;
}

/** A listening host. */
export interface HttpListener {
  /** The URL for clients, including the path. */
  readonly url: string;
  readonly port: number;
  stats(): HttpListenerStats;
  /** Accepts no more requests, lets running ones finish for a while, then ends everything. Never rejects. */
  close(): Promise<void>;
}
