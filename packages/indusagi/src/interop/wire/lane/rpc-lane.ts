import { AsyncLocalStorage } from "node:async_hooks";
import { callListener, showDuration } from "../../../core/index.ts";
import {
  type AbortListener,
  addAbortListener,
  InFlight,
  MAX_TIMER_MS,
  removeAbortListener,
} from "../../../core/internal.ts";
import type { Caller, ProgressNote } from "../../../runtime/index.ts";
import type { Extensions, MessageTransport, RpcMessage, SendOptions } from "../../contract/index.ts";
import { isProtocolFault, ProtocolFault } from "../../contract/index.ts";
import type { ScannedAnswer } from "../frames/read-answer.ts";
import { CallTraffic, type TrackedRequest } from "./call-traffic.ts";
import { type AnswerHolder, type AnswerKeeper, KeptResult } from "./kept-result.ts";

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

/** Gets the end of a request. An object instead of a promise, because every call passes several layers. */
export interface Reply {
  /** Whether `answered` also takes a `KeptResult`. */
  readonly takesKept?: boolean;
  answered(result: unknown): void;
  failed(thrown: unknown): void;
}

/** Gets the end of a message that is written. */
export interface Sender {
  written?(): void;
  failed(thrown: unknown): void;
}

/** Sends messages. */
export interface LaneTransport extends Pick<MessageTransport, "send"> {
  /** Like `send`, without a promise, on a transport that can. */
  readonly post?: ((message: RpcMessage, sender: Sender) => void) | undefined;
}

export interface LaneOptions {
  /** Named in every fault. */
  readonly server: string;
  readonly transport: LaneTransport;
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

/**
 * The request that was being sent when the current asynchronous call began. One store for all lanes: Node 20 keeps every store
 * ever used in a list that each new promise walks.
 */
const senders = new AsyncLocalStorage<{ readonly lane: RpcLane; readonly id: number }>();

/**
 * Our own requests on a connection that the SDK also uses. Results arrive unchanged, with unknown members.
 * One timer serves all deadlines. A late, duplicate or foreign answer is counted and ignored.
 */
export class RpcLane implements AnswerKeeper, AnswerHolder {
  readonly #options: LaneOptions;
  readonly #traffic: CallTraffic;
  readonly #hasStreams: boolean;
  readonly #pending = new InFlight<number, PendingRequest>();
  #nextId = FIRST_ID;
  /** How many pending requests take a result as its bytes. */
  #keeping = 0;
  readonly #timer = new DeadlineTimer(() => this.#sweep());
  #lost: ProtocolFault | undefined;
  /** Answers that match no pending request. */
  strayAnswers = 0;

  constructor(options: LaneOptions) {
    const { cancelsByStream, hasStreams = cancelsByStream } = options;
    this.#options = options;
    this.#hasStreams = hasStreams;
    this.#traffic = options.traffic ?? new CallTraffic();
  }

  request(request: LaneRequest): Promise<unknown> {
    return new Promise((answered, failed) => this.start(request, { answered, failed }));
  }

  /** Like `request`, without a promise. The reply may come before this returns. */
  start(request: LaneRequest, reply: Reply): void {
    const { signal } = request;
    if (this.#lost) return reply.failed(this.#lost);
    if (signal?.aborted) return reply.failed(signal.reason);
    const tracked = this.#traffic.sent(request.method);
    const pending = new PendingRequest(this, this.#nextId++, { request, reply, tracked });
    if (this.#hasStreams) pending.stream = new AbortController();
    if (this.#pending.size === 0) this.#timer.hold();
    this.#pending.set(pending.id, pending);
    if (reply.takesKept) this.#keeping += 1;
    if (signal) addAbortListener(signal, pending);
    this.#timer.watch(Math.min(pending.deadlineMs, pending.lateAtMs));
    this.#send(pending);
  }

  /** Handles a message of this lane. False: the message belongs to another user of the connection. */
  accept(message: RpcMessage): boolean {
    if (message.method === "notifications/progress") return this.#acceptProgress(message);
    if (message.method !== undefined) return false;
    const pending = typeof message.id === "number" ? this.#pending.get(message.id) : undefined;
    if (!pending && !isOurs(message.id)) return false;
    if (pending) this.#answer(pending, message);
    else this.strayAnswers++;
    return true;
  }

  get isWaiting(): boolean {
    return this.#keeping > 0;
  }

  /** Takes an answer without parsing it, if its request can use it so. */
  keep(answer: ScannedAnswer): boolean {
    const pending = this.#pending.get(answer.id);
    if (!pending?.reply.takesKept) return false;
    this.#end(pending, true);
    pending.reply.answered(new KeptResult(answer));
    return true;
  }

  /** Takes the result of an answer whose message comes later, without it. */
  hold(answer: ScannedAnswer): boolean {
    const pending = this.#pending.get(answer.id);
    if (!pending?.reply.takesKept || pending.held) return false;
    pending.held = new KeptResult(answer);
    return true;
  }

  /** Fails one request, for example because its answer could not be read, and ends its stream. */
  fail(id: number, fault: ProtocolFault): boolean {
    const pending = this.#pending.get(id);
    if (!pending) return false;
    this.#end(pending);
    pending.reply.failed(fault);
    pending.stream?.abort();
    return true;
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
    for (const pending of [...this.#pending.values()]) {
      this.#end(pending);
      pending.reply.failed(fault);
    }
    this.#timer.stop();
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  /** The message of a request could not be sent. For the requests of this lane. */
  unsent(pending: PendingRequest, thrown: unknown): void {
    if (!this.#pending.has(pending.id)) return;
    const fault = this.#lost ?? this.#options.translate(thrown);
    this.#end(pending);
    pending.reply.failed(fault);
  }

  /** Rejects the caller at once and sends the cancellation. For the requests of this lane. */
  cancel(pending: PendingRequest, reason: unknown): void {
    if (!this.#pending.has(pending.id)) return;
    // Only a deadline enforced by our own code, as in the facade, says something about the server.
    if (isProtocolFault(reason) && reason.kind === "timeout") pending.tracked.late();
    this.#end(pending);
    pending.reply.failed(reason);
    this.#sendCancelled(pending, "the caller gave up");
  }

  /** The first step of every end: from here on, nothing else can end the request. `isAnswer`: the server itself answered. */
  #end(pending: PendingRequest, isAnswer = false): void {
    this.#pending.delete(pending.id);
    if (pending.reply.takesKept) this.#keeping -= 1;
    if (this.#pending.size === 0) this.#timer.release();
    const { signal } = pending.request;
    if (signal) removeAbortListener(signal, pending);
    pending.tracked.ended(isAnswer);
  }

  /** An answer with both a result and an error is ignored. */
  #answer(pending: PendingRequest, { error, result }: RpcMessage): void {
    const { method } = pending.request;
    const { server } = this.#options;
    if (!isObject(error) && isObject(result)) {
      this.#end(pending, true);
      return pending.reply.answered(pending.held ?? result);
    }
    if (isObject(error) && isObject(result)) {
      this.strayAnswers++;
      return;
    }
    this.#end(pending, true);
    pending.reply.failed(isObject(error) ? refused(server, method, error) : unanswered(server, method));
  }

  #send(pending: PendingRequest): void {
    const { id, request, stream } = pending;
    const { method, headers, caller, params } = request;
    const { transport, meta, server } = this.#options;
    try {
      const given = params["_meta"] as object | undefined;
      const own = meta ? meta(given, caller, request.extensions) : given;
      // A literal that begins with a spread takes V8 many times as long, and every call makes these two.
      const _meta = { progressToken: id, ...own };
      _meta.progressToken = id;
      const sent = { _meta, ...params };
      sent._meta = _meta;
      const message: RpcMessage = { jsonrpc: "2.0", id, method, params: sent };
      if (transport.post) return transport.post(message, pending);
      const options: SendOptions = {
        onRequestStreamEnd: () => this.fail(id, streamEnded(server, method)),
        ...(headers ? { headers } : {}),
        ...(stream ? { requestSignal: stream.signal } : {}),
      };
      const sending = stream
        ? senders.run({ lane: this, id }, () => transport.send(message, options))
        : transport.send(message, options);
      sending.catch((thrown: unknown) => this.unsent(pending, thrown));
    } catch (thrown) {
      this.unsent(pending, thrown);
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

  #renew(pending: PendingRequest): void {
    const { timeoutMs, lateMs = Number.POSITIVE_INFINITY } = pending.request;
    const nowMs = performance.now();
    pending.deadlineMs = Math.min(nowMs + timeoutMs, pending.hardDeadlineMs);
    pending.lateAtMs = nowMs + lateMs;
    this.#timer.watch(pending.lateAtMs);
  }

  #sendCancelled({ id, stream }: PendingRequest, reason: string): void {
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
    for (const pending of [...this.#pending.values()]) {
      if (pending.deadlineMs <= nowMs) {
        this.#expire(pending);
        continue;
      }
      if (pending.lateAtMs <= nowMs) {
        pending.lateAtMs = Number.POSITIVE_INFINITY;
        pending.tracked.late();
      }
      this.#timer.watch(Math.min(pending.deadlineMs, pending.lateAtMs));
    }
  }

  #expire(pending: PendingRequest): void {
    if (!this.#pending.has(pending.id)) return; // The end of another request has ended this one too.
    const isTotal = pending.deadlineMs >= pending.hardDeadlineMs;
    const { totalMs, timeoutMs, method } = pending.request;
    pending.tracked.late();
    this.#end(pending);
    pending.reply.failed(notAnswered(this.#options.server, method, isTotal ? totalMs : timeoutMs));
    this.#sendCancelled(pending, "deadline passed");
  }
}

/** A request that waits for its answer. It listens to its signal and to its transport itself: a call makes no closures. */
class PendingRequest implements AbortListener, Sender {
  readonly id: number;
  readonly request: LaneRequest;
  readonly reply: Reply;
  readonly tracked: TrackedRequest;
  /** Its own stream, on a transport that has one for each request. */
  stream: AbortController | undefined;
  /** The result of the answer that comes next. */
  held: KeptResult | undefined;
  readonly hardDeadlineMs: number;
  deadlineMs: number;
  /** When it counts as late; infinite once it does. */
  lateAtMs: number;
  readonly #lane: RpcLane;

  constructor(
    lane: RpcLane,
    id: number,
    { request, reply, tracked }: Pick<PendingRequest, "request" | "reply" | "tracked">,
  ) {
    const { startedMs = performance.now(), totalMs, timeoutMs, lateMs } = request;
    this.#lane = lane;
    this.id = id;
    this.request = request;
    this.reply = reply;
    this.tracked = tracked;
    this.hardDeadlineMs = startedMs + totalMs;
    this.deadlineMs = startedMs + Math.min(timeoutMs, totalMs);
    this.lateAtMs = startedMs + (lateMs ?? Number.POSITIVE_INFINITY);
  }

  handleEvent(): void {
    this.#lane.cancel(this, this.request.signal?.reason);
  }

  failed(thrown: unknown): void {
    this.#lane.unsent(this, thrown);
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

/** The server's own error as the fault of a request. */
function refused(server: string, method: string, error: NonNullable<RpcMessage["error"]>): ProtocolFault {
  const { code, message, data } = error;
  const rpc = { code, message, ...(data === undefined ? {} : { data }) };
  return new ProtocolFault("tool_error", `server "${server}" refused ${method}: ${message}`, { server, rpc });
}

function unanswered(server: string, method: string): ProtocolFault {
  return new ProtocolFault("protocol", `server "${server}" answered ${method} without a result`, { server });
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

/**
 * One timer for many deadlines on the clock of `performance.now`: it fires at the earliest one. It stays set when the request that
 * it was set for ends, because the next one is usually due later; setting it for each call would cost more than the rest of the call.
 */
class DeadlineTimer {
  readonly #onDue: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  /** Something waits for it, so it keeps the process running. */
  #isHeld = false;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  hold(): void {
    this.#isHeld = true;
    this.#timer?.ref();
  }

  release(): void {
    this.#isHeld = false;
    this.#timer?.unref();
  }

  /** Fires at this time, unless an earlier one was given. */
  watch(dueMs: number): void {
    if (dueMs >= this.#dueMs) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    // Later deadlines are checked again after the longest delay.
    const delayMs = Math.min(Math.max(0, dueMs - performance.now()) + 1, MAX_TIMER_MS);
    this.#timer = setTimeout(() => this.#fire(), delayMs);
    if (!this.#isHeld) this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
    this.#onDue();
  }
}
