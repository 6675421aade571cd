import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCMessage, MessageExtraInfo, Transport } from "@modelcontextprotocol/server";
import { shortenText } from "../../../core/index.ts";
import { InFlight } from "../../../core/internal.ts";
import { RpcCode } from "../../wire/index.ts";
import type { LiveToken } from "../admit/live-tokens.ts";
import type { Refusal } from "../admit/refusal.ts";
import type { HttpLimits } from "../http/http-options.ts";
import { EventLog } from "./event-log.ts";
import type { Piece } from "./response-writer.ts";
import { cancelledId, hasMethod, isRequest, versionIn } from "./session-message.ts";
import { SessionStream, type StreamParts } from "./session-stream.ts";

/** One request of a session over HTTP, and its response. */
export interface SessionExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** The JSON-RPC message or messages of a POST. */
  readonly body?: unknown;
  /** The token of the request, if it can end. */
  readonly live?: LiveToken | undefined;
}

/** What a message comes with. */
export type SessionExtra = MessageExtraInfo & { readonly live?: LiveToken | undefined };

export interface SessionTransportOptions
  extends Pick<HttpLimits, "eventsPerSession" | "eventBytesPerSession" | "stalledMs"> {
  /** Whether a message is a complete request to initialize. */
  readonly isInitialize: (message: unknown) => boolean;
  /** Makes the answer of a request that runs for a while a stream. */
  readonly waitingStreams: WaitingStreams;
}

/** A request that has run this long gets a stream, to which its client can return. */
const STREAM_AFTER_MS = 100;

/**
 * Requests whose clients could return to a stream. Most are answered at once, and need none: a stream begins after a tenth of a
 * second, or two. One timer for all, because a timer for each would cost every call.
 */
export class WaitingStreams {
  #recent: SessionStream[] = [];
  #older: SessionStream[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(stream: SessionStream): void {
    this.#recent.push(stream);
    this.#timer ??= setTimeout(this.#look, STREAM_AFTER_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  readonly #look = (): void => {
    for (const stream of this.#older) if (stream.isOpen) stream.begin();
    this.#older = this.#recent;
    this.#recent = [];
    this.#timer = this.#older.length > 0 ? setTimeout(this.#look, STREAM_AFTER_MS).unref() : undefined;
  };
}

/** The stream of a GET: notifications and questions that belong to no request. */
const NOTICES = "notices";
/** When a client that lost its stream may return. */
const RETRY_MS = 1_000;
/** From this revision on, a client understands an event without data, and so can return before the first message. */
const FIRST_WITH_PRIMING = "2025-11-25";
/** The revision of a client that names none. */
const UNNAMED_VERSION = "2025-03-26";
/** At most this much of an id in a message. */
const MAX_ID_CHARS = 100;

/**
 * One session of the legacy era over Streamable HTTP, as a transport of the SDK. Works on Node's own requests and responses,
 * because the web platform's classes cost more than the rest of a call, and delivers messages as they were read.
 */
export class SessionTransport implements Transport {
  onmessage?: Transport["onmessage"];
  onerror?: Transport["onerror"];
  onclose?: Transport["onclose"];
  readonly sessionId: string;
  readonly #isInitialize: (message: unknown) => boolean;
  readonly #waitingStreams: WaitingStreams;
  /** Called with the id of each request when it is answered. */
  onanswer: ((id: string | number) => void) | undefined;
  readonly #parts: StreamParts;
  readonly #notices: SessionStream;
  /** The streams that are not complete. */
  readonly #streams = new InFlight<string, SessionStream>();
  readonly #streamOf = new InFlight<string | number, SessionStream>();
  #versions: readonly string[] = [];
  #count = 0;
  #isInitialized = false;
  #isClosed = false;

  constructor(id: string, options: SessionTransportOptions) {
    const { eventsPerSession: events, eventBytesPerSession: bytes, stalledMs } = options;
    this.sessionId = id;
    this.#waitingStreams = options.waitingStreams;
    this.#isInitialize = (message) => hasMethod(message, "initialize") && options.isInitialize(message);
    this.#parts = {
      session: id,
      log: new EventLog({ events, bytes }),
      stalledMs,
      report: (thrown) => this.onerror?.(thrown as Error),
    };
    this.#notices = new SessionStream(NOTICES, this.#parts);
    this.#streams.set(NOTICES, this.#notices);
  }

  async start(): Promise<void> {}

  setSupportedProtocolVersions(versions: readonly string[]): void {
    this.#versions = versions;
  }

  /** Answers a request, now or when its messages are answered, or returns why it is refused. */
  handle(exchange: SessionExchange): Refusal | undefined {
    const { method } = exchange.incoming;
    let refusal: Refusal | undefined;
    if (this.#isClosed) refusal = notFound();
    else if (method === "POST") refusal = this.#post(exchange);
    else refusal = method === "GET" ? this.#get(exchange) : this.#delete(exchange);
    if (refusal) this.onerror?.(new Error(refusal.message));
    return refusal;
  }

  async send(
    message: JSONRPCMessage,
    options?: { readonly relatedRequestId?: string | number },
  ): Promise<void> {
    const isAnswer = "result" in message || "error" in message;
    const id = isAnswer ? message.id : options?.relatedRequestId;
    if (id === undefined) return this.#notices.send(message);
    if (isAnswer) this.answer(message, id);
    else this.#runningStream(id).send(message);
  }

  /** Sends the answer of a request. `pieces`: its text, if it is known. Throws if the request is not running. */
  answer(message: JSONRPCMessage, id: string | number, pieces?: readonly Piece[]): void {
    const stream = this.#runningStream(id);
    this.onanswer?.(id);
    this.#streamOf.delete(id);
    stream.unanswered -= 1;
    if (stream.unanswered > 0) return stream.send(message, pieces);
    this.#streams.delete(stream.id);
    stream.finish(message, pieces);
  }

  #runningStream(id: string | number): SessionStream {
    const stream = this.#streamOf.get(id);
    if (!stream) throw new Error(`there is no stream for request ${id}`);
    return stream;
  }

  /** Called at regular intervals, twice per keep-alive interval. */
  tick(): void {
    for (const stream of this.#streams.values()) stream.tick();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Without an answer, a client would try to return and then wait until its own timeout.
    for (const id of [...this.#streamOf.keys()]) void this.send(sessionEnded(id));
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#streamOf.clear();
    this.onclose?.();
  }

  #delete({ incoming: { headers }, outgoing }: SessionExchange): Refusal | undefined {
    const refusal = this.#refuseVersion(headers);
    if (refusal) return refusal;
    outgoing.writeHead(200).end();
    void this.close();
    return undefined;
  }

  #post({ incoming: { headers }, outgoing, body, live }: SessionExchange): Refusal | undefined {
    const accept = headers.accept ?? "";
    if (!accept.includes("application/json") || !accept.includes("text/event-stream"))
      return refused(406, "Not Acceptable: Client must accept both application/json and text/event-stream");
    const messages = (Array.isArray(body) ? body : [body]) as readonly JSONRPCMessage[];
    const first = messages.find(this.#isInitialize);
    const refusal = first ? this.#refuseInitialize(messages) : this.#refuseVersion(headers);
    if (refusal) return refusal;
    if (first) this.#isInitialized = true;
    const requests = messages.filter(isRequest);
    for (const { id } of requests) if (this.#streamOf.get(id)?.isOpen) return alreadyRunning(id);
    const stream = this.#openStream(requests);
    if (!stream) {
      for (const message of messages) this.#deliver(message, { live });
      outgoing.writeHead(202).end();
      return undefined;
    }
    stream.attach(outgoing);
    const isPrimed = this.#canPrime(first ? versionIn(first) : versionOf(headers));
    if (isPrimed) {
      stream.primeLater(RETRY_MS);
      this.#waitingStreams.add(stream);
    }
    if (Array.isArray(body)) stream.begin();
    // A client that was not primed could not return.
    const extra = isPrimed ? { live, closeSSEStream: () => stream.close() } : { live };
    for (const message of messages) this.#deliver(message, extra);
    return undefined;
  }

  #openStream(requests: readonly { readonly id: string | number }[]): SessionStream | undefined {
    if (requests.length === 0) return undefined;
    this.#count += 1;
    const stream = new SessionStream(`requests-${this.#count}`, this.#parts);
    this.#streams.set(stream.id, stream);
    for (const { id } of requests) this.#streamOf.set(id, stream);
    // Two of one batch may have the same id.
    stream.unanswered = requests.length === 1 ? 1 : new Set(requests.map(({ id }) => id)).size;
    return stream;
  }

  /** A cancelled request gets an error, which clients ignore: without an answer its stream would stay open. */
  #deliver(message: JSONRPCMessage, extra: SessionExtra): void {
    this.onmessage?.(message, extra);
    const id = cancelledId(message);
    const stream = id === undefined ? undefined : this.#streamOf.get(id);
    if (id === undefined || !stream) return;
    const error = { code: RpcCode.REFUSED, message: "Request cancelled" };
    // Later, because the ending request sends something first: an open question is cancelled too.
    setImmediate(() => {
      if (this.#streamOf.get(id) === stream) void this.send({ jsonrpc: "2.0", id, error });
    });
  }

  #get({ incoming: { headers }, outgoing }: SessionExchange): Refusal | undefined {
    if (!headers.accept?.includes("text/event-stream"))
      return refused(406, "Not Acceptable: Client must accept text/event-stream");
    const refusal = this.#refuseVersion(headers);
    if (refusal) return refusal;
    const last = headers["last-event-id"];
    const isPrimed = this.#canPrime(versionOf(headers));
    if (typeof last === "string" && last !== "") return this.#resume(last, outgoing, isPrimed);
    if (this.#notices.isOpen) return refused(409, "Conflict: Only one SSE stream is allowed per session");
    open(this.#notices, outgoing);
    if (isPrimed) this.#notices.prime(RETRY_MS);
    return undefined;
  }

  /** Continues a stream after the last event that its client received. */
  #resume(last: string, outgoing: ServerResponse, isPrimed: boolean): Refusal | undefined {
    const { log } = this.#parts;
    const id = log.streamOf(last);
    if (id === undefined) return refused(400, "Invalid event ID format");
    const running = this.#streams.get(id);
    if (running?.isOpen) return refused(409, "Conflict: Stream already has an active connection");
    const stream = running ?? new SessionStream(id, this.#parts);
    open(stream, outgoing);
    // Clients forget the event that they returned with, and could not return again before the next one.
    if (isPrimed) stream.prime(RETRY_MS, last);
    for (const [event, message] of log.after(last)) stream.replay(event, message);
    if (!running) stream.close();
    return undefined;
  }

  #canPrime(version: string): boolean {
    return version >= FIRST_WITH_PRIMING && this.#versions.includes(version);
  }

  #refuseInitialize(messages: readonly unknown[]): Refusal | undefined {
    const code = RpcCode.INVALID_REQUEST;
    if (this.#isInitialized)
      return { status: 400, code, message: "Invalid Request: Server already initialized" };
    if (messages.length > 1)
      return { status: 400, code, message: "Invalid Request: Only one initialization request is allowed" };
    return undefined;
  }

  #refuseVersion({ "mcp-protocol-version": version }: IncomingHttpHeaders): Refusal | undefined {
    if (!this.#isInitialized) return refused(400, "Bad Request: Server not initialized");
    if (version === undefined || this.#versions.includes(String(version))) return undefined;
    const known = this.#versions.join(", ");
    const message = `Bad Request: Unsupported protocol version: ${String(version)} (supported versions: ${known})`;
    return refused(400, message);
  }
}

/** Sends the head at once: the stream may be silent for long. */
function open(stream: SessionStream, outgoing: ServerResponse): void {
  stream.attach(outgoing);
  stream.begin();
  outgoing.flushHeaders();
}

function refused(status: number, message: string): Refusal {
  return { status, code: RpcCode.REFUSED, message };
}

/** With two running requests of one id, each could get the answer to the other. */
function alreadyRunning(id: string | number): Refusal {
  const named = shortenText(JSON.stringify(id), MAX_ID_CHARS);
  const message = `Invalid Request: a request with the id ${named} is running; use each id once in a session`;
  return { status: 400, code: RpcCode.INVALID_REQUEST, message };
}

function sessionEnded(id: string | number): JSONRPCMessage {
  const error = { code: RpcCode.REFUSED, message: "Connection closed: the session ended before the answer" };
  return { jsonrpc: "2.0", id, error };
}

function notFound(): Refusal {
  return { status: 404, code: RpcCode.SESSION_NOT_FOUND, message: "Session not found" };
}

/** The revision that a request after the first names. */
function versionOf({ "mcp-protocol-version": version }: IncomingHttpHeaders): string {
  return String(version ?? UNNAMED_VERSION);
}
