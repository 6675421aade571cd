import { type ProcessTree, safeEnvironment, startTree, type TreeExit } from "../../core/index.ts";
import type { StdioServerConfig } from "../contract/index.ts";
import { FrameReader } from "./frame-reader.ts";
import { createStderrRing } from "./stderr-ring.ts";
import type { MessageTransport, RpcMessage } from "./transport.ts";

export interface StdioTransportOptions {
  /** A longer message is dropped; the call it answers fails alone. Default 64 MiB. */
  readonly maxFrameBytes?: number;
  /** How much of standard error is remembered. Default 64 KiB. */
  readonly stderrBytes?: number;
  /** How long each polite step of closing is given. Default 1 s, so that closing takes 3 s at the worst. */
  readonly graceMs?: number;
}

/** A line on standard output that is no message. The first few are kept to be shown. */
export interface Garbage {
  readonly lines: number;
  readonly bytes: number;
  readonly first: readonly string[];
}

const GARBAGE_SHOWN = 3;
const GARBAGE_CHARS = 200;
/** A program that prints this much before its first message is no MCP server. */
const MAX_GARBAGE_BYTES = 1024 * 1024;

/**
 * A server process as a transport: one JSON message a line, over a process tree of ours.
 *
 * The members `pid` and `stderr` also tell the SDK's negotiation that this is a process, whose silence means an old
 * server and not a broken network.
 */
export class StdioTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Hears of a message that was too long, with the id of the call it answered, where one could be found. */
  onoversized?: (id: number | undefined, bytes: number) => void;
  exit: TreeExit | undefined;
  readonly #config: StdioServerConfig;
  readonly #options: Required<StdioTransportOptions>;
  readonly #stderr: ReturnType<typeof createStderrRing>;
  #tree: ProcessTree | undefined;
  #outbox: string[] = [];
  #flushing: Promise<void> | undefined;
  #closed = false;
  #messages = 0;
  #garbage = { lines: 0, bytes: 0, first: [] as string[] };

  constructor(config: StdioServerConfig, options: StdioTransportOptions = {}) {
    this.#config = config;
    this.#options = { maxFrameBytes: 64 * 1024 * 1024, stderrBytes: 64 * 1024, graceMs: 1000, ...options };
    this.#stderr = createStderrRing(this.#options.stderrBytes);
  }

  get pid(): number | undefined {
    return this.#tree?.pid;
  }

  /** The last lines of standard error. */
  get stderr(): string {
    return this.#stderr.tail(20);
  }

  get garbage(): Garbage {
    return this.#garbage;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#config;
    const reader = new FrameReader({
      maxBytes: this.#options.maxFrameBytes,
      onFrame: (frame) => this.#receive(frame),
      onOversized: ({ head, tail, bytes }) => this.onoversized?.(sniffId(head) ?? sniffId(tail), bytes),
    });
    this.#tree = await startTree(command, args, {
      env: safeEnvironment(env),
      stdin: "pipe",
      onStdout: (chunk) => reader.push(chunk),
      onStderr: (chunk) => this.#stderr.push(chunk),
      ...(cwd === undefined ? {} : { cwd }),
    });
    void this.#tree.exited.then((exit) => {
      this.exit = exit;
      void this.#tree?.gone.then(() => this.#ended());
    });
  }

  /** Messages of one turn of the loop go out in one write: at many calls in flight the writes are the cost. */
  send(message: RpcMessage): Promise<void> {
    if (!this.#tree || this.#closed) return Promise.reject(new Error("the server process is not running"));
    this.#outbox.push(JSON.stringify(message), "\n");
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
    return this.#flushing;
  }

  async close(): Promise<void> {
    if (!this.#tree) return this.#ended();
    await this.#tree.end({ graceMs: this.#options.graceMs });
    this.#ended();
  }

  async #flush(): Promise<void> {
    const batch = this.#outbox.join("");
    this.#outbox = [];
    this.#flushing = undefined;
    await this.#tree?.write(batch);
  }

  #receive(frame: Buffer): void {
    const message = parseFrame(frame);
    if (!message) return this.#skip(frame);
    this.#messages++;
    this.onmessage?.(message);
  }

  #skip(frame: Buffer): void {
    const text = frame.subarray(0, GARBAGE_CHARS).toString("utf8").trim();
    if (text === "") return;
    this.#garbage.lines++;
    this.#garbage.bytes += frame.length;
    if (this.#garbage.first.length < GARBAGE_SHOWN) this.#garbage.first.push(text);
    if (this.#messages === 0 && this.#garbage.bytes > MAX_GARBAGE_BYTES) {
      this.onerror?.(new Error("standard output carries no messages"));
      void this.close();
    }
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/** A byte order mark or blanks before the brace are forgiven; anything else that is no JSON object is no message. */
function parseFrame(frame: Buffer): RpcMessage | undefined {
  const start = frame[0] === 0xef && frame[1] === 0xbb && frame[2] === 0xbf ? 3 : 0;
  if (frame[start] !== 0x7b && !/^\s*\{/.test(frame.subarray(start, start + 64).toString("latin1")))
    return undefined;
  try {
    const value: unknown = JSON.parse(frame.toString("utf8", start));
    if (typeof value !== "object" || value === null || (value as RpcMessage).jsonrpc !== "2.0")
      return undefined;
    return value as RpcMessage;
  } catch {
    return undefined;
  }
}

/** The id in the beginning or the end of a message too long to be parsed. */
function sniffId(part: Buffer): number | undefined {
  const text = part.toString("latin1");
  const match =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(text) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(text);
  return match ? Number(match[1]) : undefined;
}
