import { describeError } from "indusagi/core";
import {
  type AnswerKeeper,
  keepAnswer,
  type MessageTransport,
  ProtocolFault,
  type RpcMessage,
} from "indusagi/interop";

/**
 * A connection for MCP messages over NATS, between a gateway and the worker that owns a server. NATS delivers at most once, and loses
 * what is on its way when one of its nodes ends. So frames are numbered, kept until they are acknowledged and sent again; the receiver
 * takes each number once and in order. While both processes live, every message arrives exactly once. Only then may a message be lost
 * when one of them ends, and the link knows which messages certainly never arrived.
 *
 * A frame: kind (1 byte), its number (4), the number of the last frame received in order (4), and its content.
 */
const Kind = {
  /** Messages: each its length (4) and its text. */
  MESSAGES: 0,
  /** A part of a large one: its id (4), whether it is the last part (1), and bytes. */
  PART: 1,
  /** Only the acknowledgement. Has no number. */
  ACK: 2,
  /** The other end shall send no new requests, and say when those under way are answered. */
  DRAIN: 3,
  /** They are. */
  DRAINED: 4,
  /** The link ends. Has no number: the sender is gone. */
  END: 5,
} as const;

const HEADER = 9;
const LENGTH = 4;
const PART_HEADER = HEADER + 5;
/** Larger messages go in parts, between which smaller ones pass. Also the most that smaller ones have together in one frame. */
const WHOLE_BYTES = 128 * 1024;
const PART_BYTES = 128 * 1024;
/** Parts that may be under way. */
const WINDOW_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
const ACK_MS = 50;
const ACK_BYTES = 1024 * 1024;
/** Without an acknowledgement for this long, frames are sent again. */
const RESEND_MS = 1_500;
/** The same after NATS said that nobody reads them. */
const UNREAD_MS = 250;

/** Of a fault: what it means for requests that were sent. */
export const MAY_HAVE_RUN = ", and calls under way may have run";

/** Ends a link. */
export const END_FRAME: Uint8Array = Uint8Array.of(Kind.END, 0, 0, 0, 0, 0, 0, 0, 0);

/** Gets the end of a message that is sent. As the framework's lane has it. */
interface Sender {
  written?(): void;
  failed(thrown: unknown): void;
}

/** Sends bytes to the other end. */
type PublishFrame = (frame: Uint8Array, number: number) => void;

export interface LinkOptions {
  /** Named in faults. */
  readonly server: string;
  readonly publish: PublishFrame;
  /**
   * Is given what sends the messages that wait, when the first of them does; it returns how many they were. Those that come until it is
   * called go in one frame: to write, route and read a message of NATS costs more than what a call has to say. `isQuiet`: the other end
   * has everything that was sent before, so probably no others come. Default: it is called at once.
   */
  readonly soon?: ((sendWaiting: () => number, isQuiet: boolean) => void) | undefined;
  /** Opens the link before the first message; it rejects with a fault. Default: it is open. */
  readonly open?: (() => Promise<void>) | undefined;
  /** Called once when the link has ended, from either side. */
  readonly onEnd?: (() => void) | undefined;
  /** Called when the other end has drained. */
  readonly onDrained?: (() => void) | undefined;
}

interface SentFrame {
  readonly number: number;
  readonly bytes: Buffer;
  /** Of requests: told if they certainly never arrived. */
  readonly senders?: readonly Sender[] | undefined;
  atMs: number;
  /** How often it was sent without word that nobody reads it. */
  open: number;
}

interface WaitingMessage {
  readonly content: string | Buffer;
  readonly length: number;
  readonly sender: Sender | undefined;
}

interface LargeMessage {
  readonly id: number;
  readonly bytes: Buffer;
  at: number;
}

const LONG_LIVED: ReadonlySet<string> = new Set(["subscriptions/listen"]);

export class NatsLink implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  endedBy?: ProtocolFault | undefined;
  /** Takes large answers before they are parsed. */
  keeper: AnswerKeeper | undefined;
  // The other end answers like a process of ours: at once, and in one stream.
  readonly pid = undefined;
  readonly stderr = undefined;
  readonly server: string;
  readonly #options: LinkOptions;
  #isStarted = false;
  #isOver = false;
  /** Messages that came before `start`. */
  #early: RpcMessage[] = [];
  // What we send.
  #nextNumber = 1;
  #nextLarge = 1;
  /** Messages that have no number yet. */
  #waiting: WaitingMessage[] = [];
  #waitingBytes = 0;
  readonly #sent: SentFrame[] = [];
  readonly #large: LargeMessage[] = [];
  #partsOnTheWay = 0;
  #resend: NodeJS.Timeout | undefined;
  // What we receive.
  #received = 0;
  #unacknowledged = 0;
  #ack: NodeJS.Timeout | undefined;
  readonly #parts = new Map<number, { readonly chunks: Buffer[]; bytes: number }>();
  // Draining.
  readonly #asked = new Set<unknown>();
  #held: (readonly [RpcMessage, Sender | undefined])[] | undefined;

  constructor(options: LinkOptions) {
    this.server = options.server;
    this.#options = options;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether this end has sent anything yet. */
  get hasSent(): boolean {
    return this.#nextNumber > 1 || this.#nextLarge > 1 || this.#waiting.length > 0;
  }

  async start(): Promise<void> {
    await this.#options.open?.();
    if (this.#isOver) throw this.endedBy ?? this.#ended();
    this.#isStarted = true;
    for (const message of this.#early.splice(0)) this.onmessage?.(message);
  }

  async send(message: RpcMessage): Promise<void> {
    await new Promise<void>((written, failed) => this.post(message, { written, failed }));
  }

  post(message: RpcMessage, sender?: Sender): void {
    if (this.#isOver) return sender?.failed(this.#ended());
    const isRequest = message.id !== undefined && message.method !== undefined;
    if (this.#held && isRequest) {
      this.#held.push([message, sender]);
      return;
    }
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (thrown) {
      return sender?.failed(thrown);
    }
    if (isRequest && !LONG_LIVED.has(message.method ?? "")) this.#asked.add(message.id);
    this.#give(text, isRequest ? sender : undefined);
    sender?.written?.();
    // Nobody answers it any more.
    if (message.method === "notifications/cancelled" && this.#asked.delete(message.params?.["requestId"]))
      this.#tellDrained();
  }

  /** Sends a message, which is no request, whose text is known. */
  sendText(pieces: readonly (string | Uint8Array)[], done?: () => void): void {
    const [only = ""] = pieces;
    const isText = pieces.length === 1 && typeof only === "string";
    if (!this.#isOver) this.#give(isText ? only : Buffer.concat(pieces.map((each) => bytesOf(each))));
    done?.();
  }

  /** Asks the other end to send no new requests. */
  drain(): void {
    if (!this.#isOver) this.#say(Kind.DRAIN);
  }

  /** Takes a frame of the other end. */
  take(frame: Uint8Array): void {
    if (this.#isOver || frame.length < HEADER) return;
    const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    const kind = bytes.readUInt8(0);
    this.#acknowledged(bytes.readUInt32BE(5));
    if (kind === Kind.ACK) return;
    if (kind === Kind.END) return this.end(this.#lost("the other end has ended"));
    const number = bytes.readUInt32BE(1);
    if (number !== this.#received + 1) {
      // A repetition, or one is missing: either way the sender learns what we have.
      this.#acknowledge();
      return;
    }
    this.#received = number;
    this.#unacknowledged += bytes.length;
    if (this.#unacknowledged >= ACK_BYTES) this.#acknowledge();
    else this.#ack ??= setTimeout(() => this.#acknowledge(), ACK_MS);
    if (kind === Kind.MESSAGES) this.#takeMessages(bytes);
    else if (kind === Kind.PART) this.#takePart(bytes);
    else if (kind === Kind.DRAIN) this.#hold();
    else if (kind === Kind.DRAINED) this.#options.onDrained?.();
  }

  /** NATS said that nobody read the frame with this number. */
  unread(number: number): void {
    const frame = this.#sent.find((each) => each.number === number);
    if (!frame || this.#isOver) return;
    frame.open = Math.max(0, frame.open - 1);
    this.#resendAfter(UNREAD_MS);
  }

  /** Sends everything again that is not acknowledged: the connection to NATS was lost. */
  sendAgain(): void {
    if (this.#isOver) return;
    for (const frame of this.#sent) this.#transmit(frame);
  }

  /** Ends the link with a reason. Requests that certainly never arrived fail so that they can be repeated. */
  end(fault: ProtocolFault): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.endedBy = fault;
    clearTimeout(this.#resend);
    clearTimeout(this.#ack);
    const { server } = this.#options;
    const message = `${fault.message.replace(MAY_HAVE_RUN, "")}; the request was not sent`;
    const unsent = new ProtocolFault("not_connected", message, { server, retrySafe: true });
    for (const [, sender] of this.#held ?? []) sender?.failed(unsent);
    for (const { sender } of this.#waiting.splice(0)) sender?.failed(unsent);
    for (const { senders, open } of this.#sent)
      if (open === 0) for (const sender of senders ?? []) sender.failed(unsent);
    this.#options.onEnd?.();
    this.onclose?.();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#sendWaiting();
    this.#publish(Buffer.from(END_FRAME), 0);
    this.end(this.#ended());
  }

  #give(content: string | Buffer, sender?: Sender): void {
    const length = Buffer.byteLength(content);
    if (length > WHOLE_BYTES) {
      this.#large.push({ id: this.#nextLarge++, bytes: bytesOf(content), at: 0 });
      return this.#pump();
    }
    if (this.#waitingBytes + length > WHOLE_BYTES) this.#sendWaiting();
    this.#waitingBytes += LENGTH + length;
    if (this.#waiting.push({ content, length, sender }) > 1) return;
    const { soon } = this.#options;
    if (soon) soon(() => this.#sendWaiting(), this.#sent.length === 0);
    else this.#sendWaiting();
  }

  /** Gives the messages that wait their number: that of one frame. */
  #sendWaiting(): number {
    const waiting = this.#waiting;
    if (waiting.length === 0 || this.#isOver) return 0;
    const bytes = this.#frame(Kind.MESSAGES, this.#waitingBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    let at = HEADER;
    for (const { content, length } of waiting) {
      at = bytes.writeUInt32BE(length, at);
      if (typeof content === "string") bytes.write(content, at);
      else content.copy(bytes, at);
      at += length;
    }
    this.#keep(
      bytes,
      waiting.flatMap(({ sender }) => sender ?? []),
    );
    return waiting.length;
  }

  /** Says one thing, after the messages that were given before it. */
  #say(kind: number): void {
    this.#sendWaiting();
    this.#keep(this.#frame(kind, 0));
  }

  #frame(kind: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(HEADER + length);
    bytes.writeUInt8(kind, 0);
    bytes.writeUInt32BE(this.#nextNumber++, 1);
    return bytes;
  }

  #keep(bytes: Buffer, senders?: readonly Sender[]): void {
    const frame = { number: bytes.readUInt32BE(1), bytes, senders, atMs: 0, open: 0 };
    this.#sent.push(frame);
    this.#transmit(frame);
    this.#resendAfter(RESEND_MS);
  }

  #transmit(frame: SentFrame): void {
    frame.atMs = performance.now();
    frame.open += 1;
    this.#publish(frame.bytes, frame.number);
  }

  /** Each frame tells what we have received. */
  #publish(bytes: Buffer, number: number): void {
    bytes.writeUInt32BE(this.#received, 5);
    this.#unacknowledged = 0;
    clearTimeout(this.#ack);
    this.#ack = undefined;
    try {
      this.#options.publish(bytes, number);
    } catch (thrown) {
      // The connection to NATS is closed or busy: it is sent again.
      this.onerror?.(new Error(`a message could not be given to NATS: ${describeError(thrown)}`));
    }
  }

  #acknowledge(): void {
    if (!this.#isOver) this.#publish(Buffer.from([Kind.ACK, 0, 0, 0, 0, 0, 0, 0, 0]), 0);
  }

  #acknowledged(number: number): void {
    let isNews = false;
    for (let [first] = this.#sent; first && first.number <= number; [first] = this.#sent) {
      this.#sent.shift();
      isNews = true;
      if (first.bytes.readUInt8(0) === Kind.PART) this.#partsOnTheWay -= first.bytes.length;
    }
    if (!isNews) return;
    clearTimeout(this.#resend);
    this.#resend = undefined;
    if (this.#sent.length > 0) this.#resendAfter(RESEND_MS);
    this.#pump();
  }

  #resendAfter(delayMs: number): void {
    if (this.#resend && delayMs >= RESEND_MS) return;
    clearTimeout(this.#resend);
    this.#resend = setTimeout(() => {
      this.#resend = undefined;
      const nowMs = performance.now();
      const due = this.#sent.some(({ atMs }) => nowMs - atMs >= UNREAD_MS - 5);
      if (due) this.sendAgain();
      if (this.#sent.length > 0) this.#resendAfter(RESEND_MS);
    }, delayMs);
    this.#resend.unref();
  }

  /** Sends parts of large messages, in turns, as far as the window allows. */
  #pump(): void {
    while (this.#large.length > 0 && this.#partsOnTheWay < WINDOW_BYTES && !this.#isOver) {
      const message = this.#large.shift();
      if (!message) return;
      const chunk = message.bytes.subarray(message.at, message.at + PART_BYTES);
      message.at += chunk.length;
      const isLast = message.at >= message.bytes.length;
      if (!isLast) this.#large.push(message);
      const bytes = this.#frame(Kind.PART, PART_HEADER - HEADER + chunk.length);
      bytes.writeUInt32BE(message.id, HEADER);
      bytes.writeUInt8(isLast ? 1 : 0, HEADER + 4);
      chunk.copy(bytes, PART_HEADER);
      this.#partsOnTheWay += bytes.length;
      this.#keep(bytes);
    }
  }

  #takeMessages(frame: Buffer): void {
    for (let at = HEADER; at + LENGTH <= frame.length && !this.#isOver; ) {
      const from = at + LENGTH;
      at = from + frame.readUInt32BE(at);
      this.#deliver(frame.subarray(from, at));
    }
  }

  #takePart(frame: Buffer): void {
    const id = frame.readUInt32BE(HEADER);
    const isLast = frame.readUInt8(HEADER + 4) === 1;
    const message = this.#parts.get(id) ?? { chunks: [], bytes: 0 };
    this.#parts.set(id, message);
    message.chunks.push(frame.subarray(PART_HEADER));
    message.bytes += frame.length - PART_HEADER;
    if (message.bytes > MAX_MESSAGE_BYTES)
      return this.end(this.#lost("the other end sent a message that is too large"));
    if (!isLast) return;
    this.#parts.delete(id);
    this.#deliver(Buffer.concat(message.chunks, message.bytes));
  }

  #deliver(bytes: Buffer): void {
    const kept = keepAnswer(bytes, this.keeper);
    if (kept !== undefined) {
      if (this.#asked.delete(kept)) this.#tellDrained();
      return;
    }
    let message: RpcMessage;
    try {
      message = JSON.parse(bytes.toString()) as RpcMessage;
    } catch (thrown) {
      return this.end(this.#lost(`the other end sent no message: ${describeError(thrown)}`));
    }
    if (message.method === undefined && this.#asked.delete(message.id)) this.#tellDrained();
    if (this.#isStarted) this.onmessage?.(message);
    else this.#early.push(message);
  }

  #hold(): void {
    this.#held ??= [];
    this.#tellDrained();
  }

  #tellDrained(): void {
    if (this.#held && this.#asked.size === 0) this.#say(Kind.DRAINED);
  }

  #ended(): ProtocolFault {
    return this.#lost("the link to its worker is closed");
  }

  #lost(why: string): ProtocolFault {
    const { server } = this.#options;
    return new ProtocolFault("transport", `server "${server}" cannot be reached: ${why}${MAY_HAVE_RUN}`, {
      server,
      reason: "session_lost",
    });
  }
}

function bytesOf(piece: string | Uint8Array): Buffer {
  return typeof piece === "string"
    ? Buffer.from(piece)
    : Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}
