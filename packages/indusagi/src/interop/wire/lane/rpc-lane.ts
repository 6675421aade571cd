import { AsyncLocalStorage } from "node:async_hooks";
import { callListener, onAbort, showDuration } from "../../../core/index.ts";
import { MAX_TIMER_MS } from "../../../core/internal.ts";
import type { Caller, ProgressNote } from "../../../runtime/index.ts";
import type { Extensions, MessageTransport, RpcMessage, SendOptions } from "../../contract/index.ts";
import { isProtocolFault, ProtocolFault } from "../../contract/index.ts";
import { CallTraffic, type TrackedRequest } from "./call-traffic.ts";

/** First id of this lane, far above the ids that the SDK counts up from zero on the same connection. */
const FIRST_ID = 1 << 30;
/** How long to wait for a cancellation to be sent before the stream of the request is ended. */
const CANCEL_NOTICE_MS = 2000;

/** Members may be undefined: a literal with all members is faster than one built from parts. */
export interface LaneRequest {
  readonly method: string;
  readonly params: { readonly [member: string]: unknown };
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly totalMs: number;
  /** Without an answer or progress for this long, the request counts as late. Default: `timeoutMs`. */
  readonly lateMs?: number | undefined;
  /** Start of the time limit on the clock of `performance.now`, for a retried request. */
  readonly startedMs?: number | undefined;
  readonly headers?: { readonly [name: string]: string } | undefined;
  readonly onProgress?: ((note: ProgressNote, token?: number) => void) | undefined;
  /** The caller that this request is made for. */
  readonly caller?: Caller | undefined;
  /** Declared for this request, if it has no caller. */
  readonly extensions?: Extensions | undefined;
}

export interface LaneOptions {
  /** Named in every fault. */
  readonly server: string;
  readonly transport: Pick<MessageTransport, "send">;
  /** The `_meta` of a request, made from the given one. Default: the given one. */
  readonly meta?:
    | ((given: object | undefined, caller: Caller | undefined, extensions?: Extensions) => object)
    | undefined;
  /** Converts the error of a failed send. */
  readonly translate: (thrown: unknown) => ProtocolFault;
  /** True if a request is cancelled by ending its own stream. */
  readonly cancelsByStream: boolean;
  /** True if each request has its own stream, which must end with the request. Default: `cancelsByStream`. */
  readonly hasStreams?: boolean;
  readonly traffic?: CallTraffic;
}

/** How a request ended. */
type Outcome = { readonly result: unknown } | { readonly error: unknown };

interface Pending {
  readonly method: string;
  readonly request: LaneRequest;
  readonly hardDeadlineMs: number;
  readonly tracked: TrackedRequest;
  deadlineMs: number;
  /** When it counts as late; infinite once it does. */
  lateAtMs: number;
  readonly stream: AbortController | undefined;
  /** `isAnswer`: the server itself answered. */
  readonly settle: (outcome: Outcome, isAnswer?: boolean) => void;
}

/**
 * The request that was being sent when the current asynchronous call began. One store for all lanes: Node 20 keeps every store
 * ever used in a list that each new promise walks.
 */
const senders = new AsyncLocalStorage<{ readonly lane: RpcLane; readonly id: number }>();

/**
 * Our own requests on a connection that the SDK also uses. Results arrive unchanged, with unknown members.
 * One timer serves all deadlines. A late, duplicate or foreign answer is counted and ignored.
 */
export class RpcLane {
  readonly #options: LaneOptions;
  readonly #traffic: CallTraffic;
  readonly #pending = new Map<number, Pending>();
  #nextId = FIRST_ID;
  readonly #timer = new DeadlineTimer(() => this.#sweep());
  #lost: ProtocolFault | undefined;
  /** Answers that match no pending request. */
  strayAnswers = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#traffic = options.traffic ?? new CallTraffic();
  }

  request(request: LaneRequest): Promise<unknown> {
    if (this.#lost) return Promise.reject(this.#lost);
    if (request.signal?.aborted) return Promise.reject(request.signal.reason as Error);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const { startedMs = performance.now() } = request;
      const { cancelsByStream, hasStreams = cancelsByStream } = this.#options;
      const stream = hasStreams ? new AbortController() : undefined;
      const tracked = this.#traffic.sent(request.method);
      const pending: Pending = {
        method: request.method,
        request,
        stream,
        tracked,
        hardDeadlineMs: startedMs + request.totalMs,
        deadlineMs: startedMs + Math.min(request.timeoutMs, request.totalMs),
        lateAtMs: startedMs + (request.lateMs ?? Number.POSITIVE_INFINITY),
        settle: (outcome, isAnswer = false) => {
          this.#pending.delete(id);
          if (this.#pending.size === 0) this.#timer.stop();
          stopListening();
          tracked.ended(isAnswer);
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.result);
        },
      };
      this.#pending.set(id, pending);
      const stopListening = request.signal
        ? onAbort(request.signal, (reason) => this.#cancel(id, reason))
        : () => {};
      this.#timer.watch(Math.min(pending.deadlineMs, pending.lateAtMs));
      void this.#send(id, pending);
    });
  }

  /** Handles a message of this lane. False: the message belongs to another user of the connection. */
  accept(message: RpcMessage): boolean {
    if (message.method === "notifications/progress") return this.#acceptProgress(message);
    if (message.method !== undefined) return false;
    const pending = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    if (!pending && !isOurs(message.id)) return false;
    const outcome = pending && outcomeOf(message, this.#options.server, pending.method);
    if (!outcome) this.strayAnswers++;
    else pending?.settle(outcome, true);
    return true;
  }

  /** Fails one request, for example because its answer could not be read, and ends its stream. */
  fail(id: number, fault: ProtocolFault): boolean {
    const pending = this.#pending.get(id);
    pending?.settle({ error: fault });
    pending?.stream?.abort();
    return pending !== undefined;
  }

  /**
   * The request whose stream delivers the current message, if each request has its own stream. The transport does not say,
   * but it reads the stream in the asynchronous call that sent the request.
   */
  carrier(): LaneRequest | undefined {
    const sender = senders.getStore();
    return sender?.lane === this ? this.#pending.get(sender.id)?.request : undefined;
  }

  /** The connection is gone: every pending request and every later one fails with the fault. */
  lose(fault: ProtocolFault): void {
    this.#lost = fault;
    for (const pending of [...this.#pending.values()]) pending.settle({ error: fault });
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** Never rejects: the request fails instead. */
  async #send(id: number, { request, stream, settle }: Pending): Promise<void> {
    const { method, headers, caller } = request;
    const { transport, meta, server, translate } = this.#options;
    try {
      const given = request.params["_meta"] as object | undefined;
      const _meta = { ...(meta ? meta(given, caller, request.extensions) : given), progressToken: id };
      const message: RpcMessage = { jsonrpc: "2.0", id, method, params: { ...request.params, _meta } };
      const options: SendOptions = {
        onRequestStreamEnd: () => this.fail(id, streamEnded(server, method)),
        ...(headers ? { headers } : {}),
        ...(stream ? { requestSignal: stream.signal } : {}),
      };
      await (stream
        ? senders.run({ lane: this, id }, () => transport.send(message, options))
        : transport.send(message, options));
    } catch (thrown) {
      if (this.#pending.has(id)) settle({ error: this.#lost ?? translate(thrown) });
    }
  }

  #acceptProgress({ params }: RpcMessage): boolean {
    const token = params?.["progressToken"];
    if (typeof token !== "number" || token < FIRST_ID) return false;
    const pending = this.#pending.get(token);
    if (!pending) return true;
    this.#renew(pending);
    const { progress, total, message } = params as { progress?: unknown; total?: unknown; message?: unknown };
    const { onProgress } = pending.request;
    if (typeof progress !== "number" || !onProgress) return true;
    callListener((note: ProgressNote) => onProgress(note, token), {
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message } : {}),
    });
    return true;
  }

  #renew(pending: Pending): void {
    const { timeoutMs, lateMs = Number.POSITIVE_INFINITY } = pending.request;
    const nowMs = performance.now();
    pending.deadlineMs = Math.min(nowMs + timeoutMs, pending.hardDeadlineMs);
    pending.lateAtMs = nowMs + lateMs;
    this.#timer.watch(pending.lateAtMs);
  }

  /** Rejects the caller at once and sends the cancellation. */
  #cancel(id: number, reason: unknown): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    // Only a deadline enforced by our own code, as in the facade, says something about the server.
    if (isProtocolFault(reason) && reason.kind === "timeout") pending.tracked.late();
    pending.settle({ error: reason });
    this.#sendCancelled(id, pending, "the caller gave up");
  }

  #sendCancelled(id: number, { stream }: Pending, reason: string): void {
    if (this.#options.cancelsByStream) return stream?.abort();
    const message = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id, reason },
    } as const;
    const sending = this.#options.transport.send(message, stream ? { requestSignal: stream.signal } : {});
    sending.catch(() => {}); // The caller has already been rejected; a lost cancellation is harmless.
    if (stream) endAfter(sending, stream);
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const [id, pending] of [...this.#pending]) {
      if (pending.deadlineMs <= nowMs) {
        this.#expire(id, pending);
        continue;
      }
      if (pending.lateAtMs <= nowMs) {
        pending.lateAtMs = Number.POSITIVE_INFINITY;
        pending.tracked.late();
      }
      this.#timer.watch(Math.min(pending.deadlineMs, pending.lateAtMs));
    }
  }

  #expire(id: number, pending: Pending): void {
    const isTotal = pending.deadlineMs >= pending.hardDeadlineMs;
    const { totalMs, timeoutMs, method } = pending.request;
    pending.tracked.late();
    pending.settle({ error: notAnswered(this.#options.server, method, isTotal ? totalMs : timeoutMs) });
    this.#sendCancelled(id, pending, "deadline passed");
  }
}

/**
 * Ends the stream of a cancelled request. The server may never answer it, and the stream would stay open with the
 * session.
 */
function endAfter(sending: Promise<void>, stream: AbortController): void {
  const patience = setTimeout(() => stream.abort(), CANCEL_NOTICE_MS).unref();
  const end = (): void => {
    clearTimeout(patience);
    stream.abort();
  };
  sending.then(end, end);
}

/** Also true for one of our ids sent back as a string, and for no id: only our requests can cause such an answer. */
function isOurs(id: unknown): boolean {
  if (id === undefined || id === null) return true;
  const number = typeof id === "string" && /^\d+$/.test(id) ? Number(id) : id;
  return typeof number === "number" && number >= FIRST_ID;
}

/** The outcome in an answer; `undefined` if it has both a result and an error. */
function outcomeOf(message: RpcMessage, server: string, method: string): Outcome | undefined {
  if (isObject(message.error) && isObject(message.result)) return undefined;
  if (isObject(message.error)) {
    const { code, message: text, data } = message.error;
    const rpc = { code, message: text, ...(data === undefined ? {} : { data }) };
    return {
      error: new ProtocolFault("tool_error", `server "${server}" refused ${method}: ${rpc.message}`, {
        server,
        rpc,
      }),
    };
  }
  if (isObject(message.result)) return { result: message.result };
  return {
    error: new ProtocolFault("protocol", `server "${server}" answered ${method} without a result`, {
      server,
    }),
  };
}

function streamEnded(server: string, method: string): ProtocolFault {
  const message = `server "${server}" ended the stream of ${method} before it had answered`;
  return new ProtocolFault("transport", message, { server });
}

function notAnswered(server: string, method: string, withinMs: number): ProtocolFault {
  const message = `server "${server}" did not answer ${method} within ${showDuration(withinMs)}`;
  return new ProtocolFault("timeout", message, { server });
}

function isObject<Value>(value: Value | undefined | null): value is Value & object {
  return typeof value === "object" && value !== null;
}

/** One timer for many deadlines on the clock of `performance.now`: it fires at the earliest one. */
class DeadlineTimer {
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  /** Fires at this time, unless an earlier one was given. */
  watch(dueMs: number): void {
    if (dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    // Later deadlines are checked again after the longest delay.
    const delayMs = Math.min(Math.max(0, dueMs - performance.now()) + 1, MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#fire(), delayMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#onDue();
  }
}
