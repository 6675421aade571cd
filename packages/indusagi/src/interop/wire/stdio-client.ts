import {
  CoreError,
  describeError,
  escapeForDisplay,
  type ProcessTree,
  safeEnvironment,
  startTree,
  type TreeExit,
  TreeInputError,
} from "../../core/index.ts";
import type { MessageTransport, RpcMessage } from "../contract/index.ts";
import { ProtocolFault, type StdioServerConfig } from "../contract/index.ts";
import { FrameReader } from "./frame-reader.ts";
import { createStderrRing } from "./stderr-ring.ts";

export interface StdioTransportOptions {
  /** A longer message is dropped; the call it answers fails alone. Default 64 MiB. */
  readonly maxFrameBytes?: number;
  /** How much of standard error is remembered. Default 64 KiB. */
  readonly stderrBytes?: number;
  /** How long each polite step of closing is given. Default 1 s, so that closing takes 3 s at the worst. */
  readonly graceMs?: number;
  /** How processes are started: a port, so that a start can be made to fail. */
  readonly startTree?: typeof startTree;
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
/** How long a process that closed its output is given to exit by itself. */
const EXIT_PATIENCE_MS = 500;
/** As much as may wait to be read by the process may also wait to be written to it. */
const MAX_OUTBOX_CHARS = 16 * 1024 * 1024;

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
  /** How the process ended, if it did so before we gave it up. */
  exit: TreeExit | undefined;
  /** Why we gave the process up: what it prints are no messages. */
  refusal: ProtocolFault | undefined;
  readonly #config: StdioServerConfig;
  readonly #options: Required<StdioTransportOptions>;
  readonly #stderr: ReturnType<typeof createStderrRing>;
  #starting: Promise<void> | undefined;
  #tree: ProcessTree | undefined;
  #outbox: string[] = [];
  #outboxChars = 0;
  #flushing: Promise<void> | undefined;
  /** Told to close: no process may be started any more. */
  #isGivenUp = false;
  #closed = false;
  #messages = 0;
  #garbage = { lines: 0, bytes: 0, first: [] as string[] };

  constructor(config: StdioServerConfig, options: StdioTransportOptions = {}) {
    this.#config = config;
    this.#options = {
      maxFrameBytes: 64 * 1024 * 1024,
      stderrBytes: 64 * 1024,
      graceMs: 1000,
      startTree,
      ...options,
    };
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
    this.#starting = this.#launch();
    await this.#starting;
  }

  /** Messages of one turn of the loop go out in one write: at many calls in flight the writes are the cost. */
  send(message: RpcMessage): Promise<void> {
    if (!this.#tree || this.#closed) return Promise.reject(new Error("the server process is not running"));
    if (this.#outboxChars > MAX_OUTBOX_CHARS)
      return Promise.reject(
        new TreeInputError("input_full", `more than ${MAX_OUTBOX_CHARS} characters wait to be written`),
      );
    const text = this.#written(message);
    if (typeof text !== "string") return Promise.reject(text);
    this.#outbox.push(text, "\n");
    this.#outboxChars += text.length;
    this.#flushing ??= Promise.resolve().then(() => this.#flush());
    return this.#flushing;
  }

  async close(): Promise<void> {
    this.#isGivenUp = true;
    await this.#starting?.catch(() => {}); // Starting waits for nobody; what it has started by then is ended.
    await this.#tree?.end({ graceMs: this.#options.graceMs });
    this.#ended();
  }

  async #launch(): Promise<void> {
    if (this.#isGivenUp) throw this.#closedTooSoon();
    const { command, args = [], env, cwd } = this.#config;
    const reader = new FrameReader({
      maxBytes: this.#options.maxFrameBytes,
      onFrame: (frame) => this.#receive(frame),
      onOversized: ({ head, tail, bytes }) => this.onoversized?.(sniffId(head) ?? sniffId(tail), bytes),
    });
    const tree = await this.#options.startTree(command, args, {
      env: safeEnvironment(env),
      stdin: "pipe",
      onStdout: (chunk) => {
        reader.push(chunk);
        this.#judgeUnfinished(reader);
      },
      onStderr: (chunk) => this.#stderr.push(chunk),
      onStdoutEnd: () => this.#hungUp(),
      ...(cwd === undefined ? {} : { cwd }),
    });
    if (this.#isGivenUp) {
      await tree.end({ graceMs: this.#options.graceMs });
      throw this.#closedTooSoon();
    }
    this.#tree = tree;
    void tree.exited.then((exit) => {
      if (!this.refusal) this.exit = exit;
      void tree.gone.then(() => this.#ended());
    });
  }

  #closedTooSoon(): Error {
    return new Error(`server "${this.#config.id}" was closed before its process had started`);
  }

  #written(message: RpcMessage): string | ProtocolFault {
    try {
      return JSON.stringify(message);
    } catch (cause) {
      const { id: server } = this.#config;
      const message = `a message to server "${server}" cannot be written as JSON: ${describeError(cause)}`;
      return new ProtocolFault("tool_error", message, { server, retrySafe: true, cause });
    }
  }

  async #flush(): Promise<void> {
    const batch = this.#outbox.join("");
    this.#outbox = [];
    this.#outboxChars = 0;
    this.#flushing = undefined;
    try {
      await this.#tree?.write(batch);
    } catch (thrown) {
      // A process that lives on without reading will never answer: the connection is over.
      if (CoreError.is(thrown) && thrown.kind === "input_closed") void this.close();
      throw thrown;
    }
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
    if (this.#garbage.first.length < GARBAGE_SHOWN) this.#garbage.first.push(escapeForDisplay(text));
    if (this.#messages === 0 && this.#garbage.bytes > MAX_GARBAGE_BYTES) this.#refuse();
  }

  /** Junk need not have line ends to be junk. */
  #judgeUnfinished(reader: FrameReader): void {
    if (this.#messages > 0 || this.#garbage.bytes + reader.unfinishedBytes <= MAX_GARBAGE_BYTES) return;
    const head = reader.unfinishedHead();
    if (!beginsObject(head)) this.#refuse(head);
  }

  #refuse(unfinished?: Buffer): void {
    if (this.refusal || this.#closed) return;
    const cut = unfinished?.subarray(0, GARBAGE_CHARS).toString("utf8").trim() ?? "";
    const first = this.#garbage.first[0] ?? escapeForDisplay(cut);
    const { id: server } = this.#config;
    const message = `server "${server}" prints text where messages belong; the first line: ${first}`;
    this.refusal = new ProtocolFault("protocol", message, { server, retrySafe: true });
    this.onerror?.(this.refusal);
    void this.close();
  }

  /** A process that lives on without its output will never answer. Mostly it is exiting, and that says more. */
  #hungUp(): void {
    const patience = setTimeout(() => void this.close(), EXIT_PATIENCE_MS);
    void this.#tree?.exited.then(() => clearTimeout(patience));
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/** A byte order mark or blanks before the brace are forgiven; anything else that is no JSON object is no message. */
function parseFrame(frame: Buffer): RpcMessage | undefined {
  if (!beginsObject(frame)) return undefined;
  try {
    const value: unknown = JSON.parse(frame.toString("utf8", markBytes(frame)));
    if (typeof value !== "object" || value === null || (value as RpcMessage).jsonrpc !== "2.0")
      return undefined;
    return value as RpcMessage;
  } catch {
    return undefined;
  }
}

function beginsObject(frame: Buffer): boolean {
  const start = markBytes(frame);
  return frame[start] === 0x7b || /^\s*\{/.test(frame.subarray(start, start + 64).toString("latin1"));
}

/** The length of a byte order mark, if there is one. */
function markBytes(frame: Buffer): number {
  return frame[0] === 0xef && frame[1] === 0xbb && frame[2] === 0xbf ? 3 : 0;
}

/** The id in the beginning or the end of a message too long to be parsed. */
function sniffId(part: Buffer): number | undefined {
  const text = part.toString("latin1");
  const match =
    /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d+)\s*,/.exec(text) ??
    /,\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(text);
  return match ? Number(match[1]) : undefined;
}
