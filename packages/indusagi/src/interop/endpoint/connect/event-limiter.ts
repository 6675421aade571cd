import type { Transformer, TransformStreamDefaultController } from "node:stream/web";
import { EventScanner } from "../../wire/index.ts";
import { AnswerEvents, type LargeAnswers } from "./large-answers.ts";
import { type OversizedMessage, oversizedFault } from "./oversized-messages.ts";

type Controller = TransformStreamDefaultController<Uint8Array>;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Shorter events are not scanned, but their pieces are kept, because they may become longer. */
const SCANNED_BYTES = 1024 * 1024;

/**
 * Sent instead of the rest of an event whose first part the SDK already has. The SDK ignores events of an unknown
 * type.
 */
const DROPPED = Buffer.from("\nevent: dropped\n\n");

export interface EventLimiterOptions {
  readonly server: string;
  /** Limit for one event. */
  readonly maxBytes: number;
  /** Called when an event was dropped. */
  readonly onOversized: (message: OversizedMessage) => void;
  /** The request that this stream answers, if it answers only one. */
  readonly requestId?: (() => number | string | undefined) | undefined;
  /** Takes large answers out of the events. */
  readonly answers?: LargeAnswers | undefined;
}

/**
 * Limits the size of each event of a stream. A longer one is dropped and the stream continues, because other messages
 * may follow. If it is the answer to the only request of the stream, the stream is cut off at the limit.
 */
export class EventLimiter implements Transformer<Uint8Array, Uint8Array> {
  readonly #options: EventLimiterOptions;
  /** Length of the current event so far. */
  #bytes = 0;
  #last = 0;
  #pieces: Uint8Array[] = [];
  #scanner: EventScanner | undefined;
  #isDropping = false;
  readonly #events: AnswerEvents | undefined;

  constructor(options: EventLimiterOptions) {
    this.#options = options;
    if (options.answers) this.#events = new AnswerEvents(options.answers);
  }

  flush(controller: Controller): void {
    this.#events?.flush(controller);
  }

  transform(chunk: Uint8Array, controller: Controller): void {
    let rest = chunk;
    while (rest.length > 0) {
      const isShort = this.#bytes + rest.length <= this.#options.maxBytes;
      const end =
        isShort && !this.#isDropping ? this.#pass(rest, controller) : this.#measure(rest, controller);
      rest = rest.subarray(end);
    }
  }

  /** Passes on a piece within the limit. Returns the number of bytes read, like `#measure`. */
  #pass(piece: Uint8Array, controller: Controller): number {
    const end = endOfLastEvent(piece, this.#last);
    this.#last = piece.at(-1) ?? this.#last;
    if (end !== -1) this.#begin();
    this.#remember(end === -1 ? piece : piece.subarray(end));
    this.#send(piece, controller);
    return piece.length;
  }

  /** Reads a piece to the end of the current event, which may be over the limit. */
  #measure(piece: Uint8Array, controller: Controller): number {
    const scanner = this.#scan();
    const end = scanner.push(piece);
    const length = end === -1 ? piece.length : end;
    this.#bytes += length;
    if (this.#bytes <= this.#options.maxBytes) this.#send(piece.subarray(0, length), controller);
    else if (!this.#drop(controller)) return piece.length;
    if (end === -1) return length;
    if (this.#isDropping)
      this.#options.onOversized({ id: scanner.message.id, maxBytes: this.#options.maxBytes });
    this.#begin();
    return length;
  }

  /** Drops the current event; false if the stream was cut off. */
  #drop(controller: Controller): boolean {
    const { server, maxBytes, requestId, onOversized } = this.#options;
    if (this.#isDropping) return true;
    const { message } = this.#scan();
    this.#isDropping = true;
    if (!requestId || !message.isAnswer) {
      this.#send(DROPPED, controller);
      return true;
    }
    onOversized({ id: message.id ?? requestId(), maxBytes });
    controller.error(oversizedFault(server, maxBytes));
    return false;
  }

  #send(piece: Uint8Array, controller: Controller): void {
    if (this.#events) this.#events.push(piece, controller);
    else controller.enqueue(piece);
  }

  #begin(): void {
    this.#bytes = 0;
    this.#last = 0;
    this.#pieces = [];
    this.#scanner = undefined;
    this.#isDropping = false;
  }

  #remember(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#scanner) scanAll(this.#scanner, piece);
    else this.#pieces.push(piece);
    if (this.#bytes > SCANNED_BYTES) this.#scan();
  }

  /** The scanner, which has read the current event so far. */
  #scan(): EventScanner {
    this.#scanner ??= new EventScanner();
    for (const piece of this.#pieces) scanAll(this.#scanner, piece);
    this.#pieces = [];
    return this.#scanner;
  }
}

/** Leaves the scanner at the last event that begins in the piece. */
function scanAll(scanner: EventScanner, piece: Uint8Array): void {
  for (let end = scanner.push(piece); end !== -1; end = scanner.push(piece, end)) scanner.next();
}

/** Index after the last blank line in a chunk, or -1. `before` is the byte before the chunk. */
function endOfLastEvent(chunk: Uint8Array, before: number): number {
  for (let at = chunk.length - 1; at >= 0; at--) {
    if (chunk[at] !== LINE_FEED && chunk[at] !== CARRIAGE_RETURN) continue;
    const previous = at === 0 ? before : chunk[at - 1];
    const beforeThat = at > 1 ? chunk[at - 2] : before;
    if (chunk[at] === previous) return at + 1; // \n\n and \r\r
    if (previous === CARRIAGE_RETURN && beforeThat === LINE_FEED) return at + 1; // \n\r\n
  }
  return -1;
}
