import type { ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { RpcCode } from "../../wire/index.ts";
import type { EventLog } from "./event-log.ts";
import { type Piece, ResponseWriter, type Written } from "./response-writer.ts";
import { followStalls } from "./slow-client.ts";
import { bytesOf, EVENT_HEADERS, sendJson, type WriteOptions, writeMessage } from "./write-message.ts";

/** What all streams of a session share. */
export interface StreamParts {
  readonly session: string;
  readonly log: EventLog;
  /** After this long without a read the client is treated as gone. */
  readonly stalledMs: number;
  /** Called when a message cannot be written. */
  readonly report: (thrown: unknown) => void;
}

const LOST_RESULT =
  "The request completed, but its stream was lost and its result is too large to keep for a client that returns";

/** Calls of `tick` per keep-alive message. */
const TICKS = 2;

/**
 * The messages about the requests of one POST, or those that belong to no request. A stream outlives its HTTP responses:
 * the log keeps what is sent, and a client that lost its response can resume with another.
 */
export class SessionStream {
  readonly id: string;
  /** How many of its requests are not answered yet. */
  unanswered = 0;
  readonly #parts: StreamParts;
  /** The response that carries the stream now. */
  #out: ServerResponse | undefined;
  #writer: ResponseWriter | undefined;
  /** An event stream's head was written. */
  #hasEvents = false;
  /** Its events begin with a place to return to, after this time. */
  #retryMs: number | undefined;
  #ticks = 0;

  constructor(id: string, parts: StreamParts) {
    this.id = id;
    this.#parts = parts;
  }

  /** Whether a client is connected to it. */
  get isOpen(): boolean {
    const out = this.#out;
    if (!out) return false;
    return this.#writer ? this.#writer.isOpen : !out.destroyed && !out.writableEnded;
  }

  /** Continues on this response, whose head is written with the first event. */
  attach(out: ServerResponse): void {
    this.#out = out;
    this.#writer = undefined;
    this.#hasEvents = false;
    this.#ticks = 0;
  }

  /** Makes the response a stream of events. */
  begin(): void {
    const out = this.#out;
    if (!out || this.#hasEvents) return;
    this.#hasEvents = true;
    this.#writer = new ResponseWriter(out);
    followStalls(out, this.#parts.stalledMs);
    out.writeHead(200, { ...EVENT_HEADERS, "mcp-session-id": this.#parts.session });
    const retryMs = this.#retryMs;
    this.#retryMs = undefined;
    if (retryMs !== undefined) this.#prime(retryMs, this.#parts.log.store(this.id));
  }

  /** If the response becomes a stream of events, a client that loses it can return. */
  primeLater(retryMs: number): void {
    this.#retryMs = retryMs;
  }

  /** Begins with an event without a message, so a client that loses the stream can return to this place. */
  prime(retryMs: number, place: string = this.#parts.log.store(this.id)): void {
    this.begin();
    this.#prime(retryMs, place);
  }

  #prime(retryMs: number, place: string): void {
    this.#writer?.write(`id: ${place}\nretry: ${retryMs}\ndata: \n\n`);
  }

  /** Sends an event that the log keeps. */
  send(message: JSONRPCMessage, pieces?: readonly Piece[]): void {
    // The place to return to comes before the event.
    if (this.#retryMs !== undefined && this.isOpen) this.begin();
    this.replay(this.#parts.log.store(this.id, message, insteadOfResult), message, pieces);
  }

  /** Sends an event that is in the log. */
  replay(id: string, message: JSONRPCMessage, pieces?: readonly Piece[]): void {
    if (!this.isOpen) return;
    const text = this.#written(message, {
      before: `event: message\nid: ${id}\ndata: `,
      after: "\n\n",
      pieces,
    });
    if (text === undefined) return;
    this.begin();
    this.#writer?.write(text);
  }

  /**
   * Sends the last message and ends the response. If it is the only message, a plain answer is enough: it costs client
   * and host less than a stream, and a client without an event has nothing to return to.
   */
  finish(message: JSONRPCMessage, pieces?: readonly Piece[]): void {
    if (this.#hasEvents) this.send(message, pieces);
    else if (this.isOpen && this.#answer(message, pieces)) return;
    this.close();
  }

  /** Ends the response. */
  close(): void {
    if (this.isOpen) this.begin();
    this.#writer?.end();
    this.#leave();
  }

  /** Called at regular intervals: a silent connection may be cut by a proxy. */
  tick(): void {
    if (!this.isOpen) return;
    this.#ticks += 1;
    if (this.#ticks % TICKS !== 0) return;
    this.begin();
    this.#writer?.write(": keepalive\n\n");
  }

  /** False if the message cannot be written. */
  #answer(message: JSONRPCMessage, pieces: readonly Piece[] | undefined): boolean {
    const { session, stalledMs } = this.#parts;
    const out = this.#out;
    const body = this.#written(message, { pieces });
    if (!out || body === undefined) return false;
    sendJson(out, { headers: { "mcp-session-id": session }, body, bytes: bytesOf(pieces), stalledMs });
    this.#leave();
    return true;
  }

  #leave(): void {
    this.#out = undefined;
    this.#writer = undefined;
  }

  /** The text of a message; `undefined` if JSON cannot hold it, which is reported. */
  #written(message: JSONRPCMessage, options: WriteOptions): Written | undefined {
    try {
      return writeMessage(message, options);
    } catch (thrown) {
      this.#parts.report(thrown);
      return undefined;
    }
  }
}

/** Without an answer, a client that lost a result too large to keep would wait until its own timeout. */
function insteadOfResult(message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (!("result" in message)) return undefined;
  const error = { code: RpcCode.INTERNAL_ERROR, message: LOST_RESULT };
  return { jsonrpc: "2.0", id: message.id, error };
}
