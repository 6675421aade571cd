import { type JsonBudget, STANDARD_JSON_BUDGET } from "../../request/json-budget.ts";
import type { TokenVerifier } from "./admit/bearer.ts";

/** What one listener bears. Each is a number that somebody may want to change, and none is unlimited. */
export interface HttpLimits {
  /** Longest request body, in bytes. */
  readonly bodyBytes: number;
  /** Most messages in one body. */
  readonly batch: number;
  readonly json: JsonBudget;
  /** How long a client may take to send its headers, and then its whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** A session without a request or an open stream for this long is ended. */
  readonly sessionIdleMs: number;
  readonly sessionsPerPrincipal: number;
  readonly sessions: number;
  /** When no place is free, the principal's session that is idle longest makes room, if it has been for so long. */
  readonly sessionSparedMs: number;
  /** Streams that wait for news, held open by one principal. */
  readonly streamsPerPrincipal: number;
  /** Requests of one principal being answered at a time; and calls that run, also those whose client lost the stream. */
  readonly requestsPerPrincipal: number;
  readonly connections: number;
  /** A client that takes nothing of its answer for so long is cut off. */
  readonly stalledMs: number;
  /** How long `close` waits for running requests before it ends them. */
  readonly drainMs: number;
  /** How often an open stream says that it lives. */
  readonly keepAliveMs: number;
  /**
   * A call of the legacy era that has run this long loses its stream; the client comes back for the rest when it was
   * told to. For proxies that cut long responses. Default never.
   */
  readonly pollAfterMs?: number;
  /** What a session keeps for a client that lost its stream. */
  readonly eventsPerSession: number;
  readonly eventBytesPerSession: number;
}

export const STANDARD_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 4 * 1024 * 1024,
  batch: 100,
  json: STANDARD_JSON_BUDGET,
  headersMs: 10_000,
  requestMs: 30_000,
  sessionIdleMs: 30 * 60_000,
  sessionsPerPrincipal: 128,
  sessions: 1024,
  sessionSparedMs: 60_000,
  streamsPerPrincipal: 128,
  requestsPerPrincipal: 512,
  connections: 4096,
  stalledMs: 60_000,
  drainMs: 5_000,
  keepAliveMs: 15_000,
  eventsPerSession: 1_000,
  eventBytesPerSession: 4 * 1024 * 1024,
};

export interface HttpServeOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Default `127.0.0.1`. Anything beyond this machine needs a `verifier`. */
  readonly host?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  /** Tells who stands behind a bearer token. With one, nobody is served without. */
  readonly verifier?: TokenVerifier;
  /** The name tokens must be made for; default this listener's own URL. */
  readonly audience?: string;
  /** Where a refused client finds out how to get a token (RFC 9728). */
  readonly resourceMetadataUrl?: string;
  /** Host names by which clients may call us, beside this machine's own. */
  readonly allowedHosts?: readonly string[];
  /** Host names of web pages that may call us from a browser. Listing one also answers its preflight requests. */
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<HttpLimits>;
}

/** A host that listens. */
export interface HttpListener {
  /** Where clients connect, path included. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests, lets the running ones finish for a while, then ends everything. Never rejects. */
  close(): Promise<void>;
}
