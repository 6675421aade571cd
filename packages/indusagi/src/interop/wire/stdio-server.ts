import type { MessageTransport, RpcMessage } from "../contract/index.ts";
import { FrameReader, type OversizedFrame } from "./frames/frame-reader.ts";
import { RpcCode } from "./rpc-errors.ts";

export interface StdioWireOptions {
  readonly input: NodeJS.ReadableStream;
  readonly write: (text: string | Uint8Array, done: (error?: Error | null) => void) => void;
  /** A longer message is dropped and reported; a request gets an error as its answer. */
  readonly frameBytes: number;
}

/** Messages per write. Fewer per write cost throughput; more delay the first one. */
const BATCH = 16;

/**
 * The server end of stdio: newline-delimited messages on a pair of streams. Messages sent in one turn of the event
 * loop leave in one write. A line that is not JSON, or is too long, is reported and skipped.
 */
export class StdioWire implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  readonly #options: StdioWireOptions;
  readonly #reader: FrameReader;
  #outgoing: string[] = [];
  #waiting: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  #isClosed = false;

  constructor(options: StdioWireOptions) {
    this.#options = options;
    this.#reader = new FrameReader({
      maxBytes: options.frameBytes,
      onFrame: (frame) => this.#deliver(frame.text().trim()),
      onOversized: (frame) => this.#refuse(frame),
    });
  }

  async start(): Promise<void> {
    const { input } = this.#options;
    input.on("data", this.#receive);
    input.once("end", this.#end);
    input.once("close", this.#end);
    input.on("error", this.#end); // A stream may report several.
  }

  send(message: RpcMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("the connection is closed"));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#post(`${JSON.stringify(message)}\n`);
    });
  }

  /** Sends a message whose text is known. `done` is called when it has left, or cannot be sent. */
  sendText(pieces: readonly (string | Uint8Array)[], done?: () => void): void {
    if (this.#isClosed) return done?.();
    const [only] = pieces;
    if (pieces.length === 1 && typeof only === "string") {
      if (done) this.#waiting.push({ resolve: done, reject: done });
      return this.#post(`${only}\n`);
    }
    // Bytes are not copied into a text.
    this.#flush();
    const ended = (error?: Error | null): void => void (error && this.#end());
    for (const piece of pieces) this.#options.write(piece, ended);
    this.#options.write("\n", (error) => (done?.(), ended(error)));
  }

  #post(line: string): void {
    this.#outgoing.push(line);
    if (this.#outgoing.length === 1) process.nextTick(this.#flush);
    else if (this.#outgoing.length === BATCH) this.#flush();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#flush();
    this.#end();
  }

  readonly #flush = (): void => {
    if (this.#outgoing.length === 0) return;
    const text = this.#outgoing.join("");
    const waiting = this.#waiting;
    this.#outgoing = [];
    this.#waiting = [];
    this.#options.write(text, (error) => {
      for (const { resolve, reject } of waiting) {
        if (error) reject(error);
        else resolve();
      }
      // The client no longer reads, so the connection is over.
      if (error) this.#end();
    });
  };

  readonly #end = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { input } = this.#options;
    input.off("data", this.#receive);
    input.off("end", this.#end);
    input.off("close", this.#end);
    input.pause();
    this.onclose?.();
  };

  readonly #receive = (data: Buffer | string): void => {
    this.#reader.push(typeof data === "string" ? Buffer.from(data) : data);
  };

  #refuse({ id, bytes, isAnswer }: OversizedFrame): void {
    const message = `dropped a message of ${bytes} bytes: the limit is ${this.#options.frameBytes}`;
    this.onerror?.(new Error(message));
    if (id === undefined || isAnswer) return;
    const error = { code: RpcCode.INVALID_REQUEST, message: `Invalid Request: ${message}` };
    this.send({ jsonrpc: "2.0", id, error }).catch(() => {}); // The client may be gone.
  }

  #deliver(line: string): void {
    if (line === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.onerror?.(new Error("skipped a line that is not JSON"));
      return;
    }
    // Revision 2025-03-26 allowed batches; each message of a batch is handled separately.
    for (const each of Array.isArray(message) ? message : [message])
      if (typeof each === "object" && each !== null) this.onmessage?.(each as RpcMessage);
  }
}
