import type { MessageTransport, RpcMessage } from "../contract/index.ts";

export interface StdioWireOptions {
  readonly input: NodeJS.ReadableStream;
  readonly write: (text: string, done: (error?: Error | null) => void) => void;
  readonly frameBytes: number;
}

const NEWLINE = 0x0a;
/** So many messages leave at once. Fewer cost more writes; more keep the other side waiting for the first. */
const BATCH = 16;

/**
 * Newline-delimited messages on a pair of streams. Messages sent in one turn of the event loop leave together; a
 * line that is no message is reported and skipped; one that is too long is dropped as it comes in.
 */
export class StdioWire implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  readonly #options: StdioWireOptions;
  #parts: Buffer[] = [];
  #size = 0;
  #isTooLong = false;
  #outgoing: string[] = [];
  #waiting: { readonly resolve: () => void; readonly reject: (reason: unknown) => void }[] = [];
  #isClosed = false;

  constructor(options: StdioWireOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { input } = this.#options;
    input.on("data", this.#receive);
    input.once("end", this.#end);
    input.once("close", this.#end);
    input.once("error", this.#end);
  }

  send(message: RpcMessage): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error("the connection is closed"));
    return new Promise((resolve, reject) => {
      this.#outgoing.push(`${JSON.stringify(message)}\n`);
      this.#waiting.push({ resolve, reject });
      if (this.#outgoing.length === 1) process.nextTick(this.#flush);
      else if (this.#outgoing.length === BATCH) this.#flush();
    });
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
      // Whoever read us is gone: there is nobody left to serve.
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
    const chunk = typeof data === "string" ? Buffer.from(data) : data;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, at));
      this.#endLine();
      from = at + 1;
    }
    this.#take(chunk.subarray(from));
  };

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    if (this.#size > this.#options.frameBytes) {
      this.#isTooLong = true;
      this.#parts = [];
    } else this.#parts.push(bytes);
  }

  #endLine(): void {
    const [only] = this.#parts;
    const line = only && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    const wasTooLong = this.#isTooLong;
    this.#parts = [];
    this.#size = 0;
    this.#isTooLong = false;
    if (wasTooLong) this.onerror?.(new Error(`a message over ${this.#options.frameBytes} bytes was dropped`));
    else this.#deliver(line.toString("utf8").trim());
  }

  #deliver(line: string): void {
    if (line === "") return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.onerror?.(new Error("a line that is no JSON was skipped"));
      return;
    }
    // A batch was part of one early revision; its messages stand for themselves.
    for (const each of Array.isArray(message) ? message : [message])
      if (typeof each === "object" && each !== null) this.onmessage?.(each as RpcMessage);
  }
}
