import type { ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { RpcCode } from "../../wire/index.ts";
import { isPlain } from "../request/sendable.ts";
import type { EventLog } from "./event-log.ts";
import { isLarge, jsonPieces } from "./json-pieces.ts";
import { ResponseWriter } from "./response-writer.ts";
import { followStalls } from "./slow-client.ts";

/** What all streams of a session share. */
export interface StreamParts {
  readonly session: string;
  readonly log: EventLog;
  /** After this long without a read the client is treated as gone. */
  readonly stalledMs: number;
  /** Called when a message cannot be written. */
  readonly report: (thrown: unknown) => void;
}

const EVENT_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

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
  /** The requests that are not answered yet. */
  readonly waiting: Set<string | number> = new Set();
  readonly #parts: StreamParts;
  /** The response that carries the stream now. */
  #out: ServerResponse | undefined;
  #writer: ResponseWriter | undefined;
  /** An event stream's head was written. */
  #hasEvents = false;
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
  }

  /** Begins with an event without a message, so a client that loses the stream can return to this place. */
  prime(retryMs: number, place: string = this.#parts.log.store(this.id)): void {
    this.begin();
    this.#writer?.write(`id: ${place}\nretry: ${retryMs}\ndata: \n\n`);
  }

  /** Sends an event that the log keeps. */
  send(message: JSONRPCMessage): void {
    this.replay(this.#parts.log.store(this.id, message, insteadOfResult), message);
  }

  /** Sends an event that is in the log. */
  replay(id: string, message: JSONRPCMessage): void {
    if (!this.isOpen) return;
    const text = this.#written(message, `event: message\nid: ${id}\ndata: `, "\n\n");
    if (text === undefined) return;
    this.begin();
    this.#writer?.write(text);
  }

  /**
   * Sends the last message and ends the response. If it is the only message, a plain answer is enough: it costs client
   * and host less than a stream, and a client without an event has nothing to return to.
   */
  finish(message: JSONRPCMessage): void {
    if (this.#hasEvents) this.send(message);
    else if (this.isOpen && this.#answer(message)) return;
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
  #answer(message: JSONRPCMessage): boolean {
    const out = this.#out;
    const text = this.#written(message, "", "");
    if (!out || text === undefined) return false;
    const head = { "content-type": "application/json", "mcp-session-id": this.#parts.session };
    if (typeof text === "string") {
      // The text, not its bytes: Node then sends it together with the head.
      out.writeHead(200, { ...head, "content-length": Buffer.byteLength(text) }).end(text);
    } else {
      out.writeHead(200, head);
      const writer = new ResponseWriter(out);
      writer.write(text);
      writer.end();
    }
    // Most answers have left already, and need no timer.
    if (typeof text !== "string" || out.writableLength > 0) followStalls(out, this.#parts.stalledMs);
    this.#leave();
    return true;
  }

  #leave(): void {
    this.#out = undefined;
    this.#writer = undefined;
  }

  /** The text of a message between two others; `undefined` if JSON cannot hold it, which is reported. */
  #written(message: JSONRPCMessage, before: string, after: string): string | Iterable<string> | undefined {
    try {
      if (isLarge(message) && isPlain(message)) return between(before, jsonPieces(message), after);
      return `${before}${JSON.stringify(message)}${after}`;
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

function* between(before: string, pieces: Iterable<string>, after: string): Generator<string, void> {
  if (before !== "") yield before;
  yield* pieces;
  if (after !== "") yield after;
}
