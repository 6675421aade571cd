import { backoffMs, joinSignals, type Listeners, settlesWithin, systemClock } from "../../../core/index.ts";
import {
  capabilitiesFromLink,
  isProtocolFault,
  type ProtocolEra,
  ProtocolFault,
  type ServerSession,
  type SessionNotification,
  type SessionRequestOptions,
} from "../../contract/index.ts";
import type { LaneRequest, Reply, RpcLane, TappedTransport } from "../../wire/index.ts";
import { isAnswer, type QuestionRouter } from "../call/question-router.ts";
import type { ConnectionContext } from "../connection-context.ts";
import { httpStatusMeaning } from "../faults/http-statuses.ts";
import { symptomsOf } from "../faults/symptoms.ts";
import type { Peer } from "./handshake.ts";

type Params = { readonly [member: string]: unknown };

/** A request that may be retried, with only the remaining time. */
export type TimedRequest = LaneRequest & { readonly startedMs: number };

interface RawSessionParts {
  readonly peer: Peer;
  readonly transport: TappedTransport;
  readonly lane: RpcLane;
  readonly questions: QuestionRouter;
  readonly listeners: Listeners<SessionNotification>;
}

/** An open connection: what the server said in the handshake, and our own request lane. */
export class RawSession implements ServerSession {
  readonly era: ProtocolEra;
  readonly protocolVersion: string;
  readonly serverInfo: ServerSession["serverInfo"];
  readonly capabilities: ServerSession["capabilities"];
  readonly instructions?: string;
  readonly lane: RpcLane;
  readonly questions: QuestionRouter;
  readonly context: ConnectionContext;
  /** Whether changes of lists that the server announces arrive now. */
  isListening: boolean;
  readonly #parts: RawSessionParts;
  #pending = 0;
  readonly #waitingForQuiet: (() => void)[] = [];
  readonly #over = new AbortController();

  constructor(context: ConnectionContext, parts: RawSessionParts) {
    const { peer, lane, questions } = parts;
    this.context = context;
    this.#parts = parts;
    this.lane = lane;
    this.questions = questions;
    this.era = peer.era;
    // In the modern era once there is a subscription.
    this.isListening = this.era === "legacy";
    this.protocolVersion = peer.protocolVersion;
    this.serverInfo = peer.serverInfo;
    this.capabilities = context.options.link ? capabilitiesFromLink(peer.capabilities) : peer.capabilities;
    if (peer.instructions !== undefined) this.instructions = peer.instructions;
  }

  async request(method: string, params: Params = {}, options: SessionRequestOptions = {}): Promise<unknown> {
    const { callMs, totalMs: wholeMs } = this.context.timeouts;
    const { caller, extensions, signal, onProgress, timeoutMs = callMs, totalMs = wholeMs } = options;
    const startedMs = performance.now();
    const request = { method, params, timeoutMs, totalMs, startedMs, signal, caller, extensions, onProgress };
    if (!caller) return this.ask(request);
    // The server may ask a question before it answers.
    const task = method === "tasks/result" ? params["taskId"] : undefined;
    const call = { caller, signal, task };
    const entered = this.questions.enter(call);
    let isAnswered = true;
    try {
      return await this.ask(request);
    } catch (thrown) {
      isAnswered = isAnswer(thrown);
      throw thrown;
    } finally {
      this.questions.leave(call, entered, isAnswered);
    }
  }

  /** Like `request`, for a call that has entered the question router already. */
  ask(request: TimedRequest): Promise<unknown> {
    return new Promise((answered, failed) => this.start(request, { answered, failed }));
  }

  /** Like `ask`, without a promise. The reply may come before this returns. */
  start(given: TimedRequest, reply: Reply): void {
    const meta = given.params["_meta"] as Params | undefined;
    const request = meta?.["baggage"] === undefined ? given : this.#withoutBaggage(given, meta);
    this.#pending += 1;
    this.lane.start(request, new RetriedRequest(this, request, reply));
  }

  /** For the requests of this session: one has ended for good. */
  ended(): void {
    this.#pending -= 1;
    if (this.#pending === 0 && this.#waitingForQuiet.length > 0)
      for (const resolve of this.#waitingForQuiet.splice(0)) resolve();
  }

  /** Baggage may hold data about users, and a server may be anyone's: it is passed on only if the server's row says so. */
  #withoutBaggage(request: TimedRequest, given: Params): TimedRequest {
    if (this.context.config.passBaggage) return request;
    const { baggage: _, ...meta } = given;
    return { ...request, params: { ...request.params, _meta: meta } };
  }

  /** Resolves when no request is pending, or when the time is up. */
  async quiet(withinMs: number): Promise<void> {
    if (this.#pending === 0) return;
    await settlesWithin(new Promise<void>((resolve) => this.#waitingForQuiet.push(resolve)), withinMs);
  }

  notify(method: string, params?: Params): Promise<void> {
    return this.#parts.transport.send({ jsonrpc: "2.0", method, ...(params ? { params } : {}) });
  }

  onNotification(listener: (notification: SessionNotification) => void): () => void {
    return this.#parts.listeners.add(listener);
  }

  /** Aborts when the session is closed. */
  get whileOpen(): AbortSignal {
    return this.#over.signal;
  }

  async close(): Promise<void> {
    const { server } = this.context;
    const { peer, transport } = this.#parts;
    // Not `retrySafe`: pending requests have been sent.
    const fault = new ProtocolFault("not_connected", `server "${server}" is closed`, { server });
    this.lane.lose(fault);
    this.#over.abort(fault);
    await transport.endSession();
    await peer.close().catch(() => {});
  }
}

/** Sends a request again when the server says so, until the deadline of the request. */
class RetriedRequest implements Reply {
  readonly #session: RawSession;
  readonly #request: TimedRequest;
  readonly #reply: Reply;
  readonly takesKept: boolean;
  #retries = 0;

  constructor(session: RawSession, request: TimedRequest, reply: Reply) {
    this.takesKept = reply.takesKept === true;
    this.#session = session;
    this.#request = request;
    this.#reply = reply;
  }

  answered(result: unknown): void {
    this.#session.ended();
    this.#reply.answered(result);
  }

  failed(thrown: unknown): void {
    const { method, startedMs, timeoutMs, totalMs } = this.#request;
    const waitMs = retryDelayMs(thrown, { method, retries: this.#retries });
    const endsAtMs = startedMs + Math.min(timeoutMs, totalMs);
    if (waitMs === undefined || performance.now() + waitMs >= endsAtMs)
      return this.#end(isProtocolFault(thrown) ? this.#session.context.redactor.value(thrown) : thrown);
    this.#retries += 1;
    void this.#retryAfter(waitMs);
  }

  async #retryAfter(waitMs: number): Promise<void> {
    const { lane, whileOpen } = this.#session;
    try {
      await systemClock.sleep(waitMs, joinSignals(this.#request.signal, whileOpen));
    } catch (thrown) {
      return this.#end(thrown);
    }
    lane.start(this.#request, this);
  }

  #end(thrown: unknown): void {
    this.#session.ended();
    this.#reply.failed(thrown);
  }
}

const MAX_RETRIES = 3;

/** Methods without side effects. */
const SAFE_METHODS: ReadonlySet<string> = new Set([
  "ping",
  "server/discover",
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "tasks/get",
  "tasks/list",
]);

interface FailedRequest {
  readonly method: string;
  /** How many times it has been retried already. */
  readonly retries: number;
}

/**
 * The delay before a failed request is retried, or `undefined` if it must not be: only after a temporary HTTP
 * status, and only if the request did not run or has no side effects. Waits at least as long as the server asks.
 */
export function retryDelayMs(thrown: unknown, { method, retries }: FailedRequest): number | undefined {
  if (!isProtocolFault(thrown) || retries >= MAX_RETRIES) return undefined;
  const { status } = thrown.details;
  if (status === undefined) return undefined;
  const { isTemporary, didNotRun } = httpStatusMeaning(status);
  if (!isTemporary || !(didNotRun || SAFE_METHODS.has(method))) return undefined;
  return Math.max(backoffMs(retries), symptomsOf(thrown).retryAfterMs ?? 0);
}
