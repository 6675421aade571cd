import {
  describeError,
  type Environment,
  type ProcessTree,
  safeEnvironment,
  settlesWithin,
  startTree,
  type TreeExit,
  TreeInputError,
} from "../../core/index.ts";
import { Redactor, secretValues, wholeCharactersStart, withDefaults } from "../../core/internal.ts";
import type { MessageTransport, RpcMessage } from "../contract/index.ts";
import { ProtocolFault, type StdioServerConfig } from "../contract/index.ts";
import type { OversizedFrame } from "./frames/frame-reader.ts";
import type { AnswerKeeper } from "./lane/kept-result.ts";
import type { Sender } from "./lane/rpc-lane.ts";
import { type Garbage, StdoutMessages } from "./stdout-messages.ts";

/** What a server process inherits, if not from this process: where and as what it starts. */
export interface LaunchPlace {
  /** The safe names are taken from here. */
  readonly env: Environment;
  /** Its folder, if the row names none. */
  readonly cwd: string;
  readonly umask?: number | undefined;
}

export interface StdioTransportOptions {
  /** Default: that of this process. */
  readonly place?: LaunchPlace | undefined;
  /** A longer message is dropped, and only the call it answers fails. Default 64 MiB. */
  readonly maxFrameBytes?: number;
  /** Bytes of standard error to keep. Default 64 KiB. */
  readonly stderrBytes?: number;
  /** Time for each step of closing (end of input, terminate, kill). Default 1 s, so closing takes at most 3 s. */
  readonly graceMs?: number;
  /** Starts the process. Replaced in tests to make a start fail. */
  readonly startTree?: typeof startTree;
}

/** The default limit for one message of a server, over any transport. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;
const DEFAULTS: Required<Omit<StdioTransportOptions, "place">> = {
  maxFrameBytes: MAX_MESSAGE_BYTES,
  stderrBytes: 64 * 1024,
  graceMs: 1000,
  startTree,
};
/** How long to wait for a process to exit after it closed its output or its input. On a busy machine that takes a while. */
const EXIT_PATIENCE_MS = 1000;
/** Turns of the event loop without output after which the pipe counts as empty. */
const QUIET_TURNS = 2;
/** Limit for a process whose children keep writing. A full pipe needs fewer turns. */
const MAX_LAST_TURNS = 50;
/** Limit for messages waiting to be written to the process. */
const MAX_OUTBOX_CHARS = 16 * 1024 * 1024;

/**
 * A server process as a transport: one JSON message per line, over its own process tree.
 *
 * The SDK recognises a process by the members `pid` and `stderr`: no answer to the probe then means a legacy server,
 * not a broken network.
 */
export class StdioTransport implements MessageTransport {
  onmessage?: ((message: RpcMessage, extra?: unknown) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onclose?: (() => void) | undefined;
  /** Called when the process wrote something, including to standard error. */
  onarrival?: () => void;
  /** Called with the raw standard error of the process. */
  onstderr?: (chunk: Buffer) => void;
  /** Called at the end of a message over the limit, which was dropped. */
  onoversized?: (message: OversizedFrame & { readonly maxBytes: number }) => void;
  /** Takes large answers before they are parsed. */
  keeper: AnswerKeeper | undefined;
  /** How the process ended, if it ended before we closed it. */
  exit: TreeExit | undefined;
  /** Why we closed the process: its output is not messages. */
  refusal: ProtocolFault | undefined;
  readonly #config: StdioServerConfig;
  readonly #options: typeof DEFAULTS;
  readonly #place: LaunchPlace | undefined;
  readonly #messages: StdoutMessages;
  readonly #stderr: StderrRing;
  #starting: Promise<void> | undefined;
  #tree: ProcessTree | undefined;
  /** Messages for the next write, and who gets its end. */
  #outbox = "";
  #senders: Sender[] = [];
  /** `close` was called: no process may be started any longer. */
  #isGivenUp = false;
  #closed = false;
  #chunks = 0;
  /** Resolves when the output that was in the pipes at the exit has been read. */
  #lastOutput: Promise<void> | undefined;
  /** The wait for the exit of a process that no longer reads or writes. */
  #leaving: Promise<void> | undefined;
  /** The process has exited and its output has been read: what still arrives is written by its children. */
  #isOrphaned = false;

  constructor(config: StdioServerConfig, options?: StdioTransportOptions) {
    this.#config = config;
    const { place, ...limits } = options ?? {};
    this.#place = place;
    this.#options = withDefaults(DEFAULTS, limits);
    const redactor = new Redactor(secretValues(config));
    const { maxFrameBytes: maxBytes } = this.#options;
    this.#stderr = createStderrRing(this.#options.stderrBytes, redactor);
    this.#messages = new StdoutMessages({
      maxBytes,
      redactor,
      onMessage: (message) => this.onmessage?.(message),
      keeper: () => this.keeper,
      onOversized: (frame) => this.onoversized?.({ ...frame, maxBytes }),
      onRefused: (firstLine) => this.#refuse(firstLine),
    });
  }

  get pid(): number | undefined {
    return this.#tree?.pid;
  }

  /** The end of what the process wrote to standard error. */
  get stderr(): string {
    return this.#stderr.text();
  }

  get garbage(): Garbage {
    return this.#messages.garbage;
  }

  async start(): Promise<void> {
    this.#starting = this.#launch();
    await this.#starting;
  }

  send(message: RpcMessage): Promise<void> {
    return new Promise((written, failed) => this.post(message, { written, failed }));
  }

  /**
   * All messages of one turn leave in one write: with many calls in flight, writes are the main cost. The write follows as soon as
   * the code that is running now is done, so a single message does not wait.
   */
  post(message: RpcMessage, sender: Sender): void {
    if (!this.#tree || this.#closed) return sender.failed(new Error("the server process is not running"));
    if (this.#outbox.length > MAX_OUTBOX_CHARS)
      return sender.failed(
        new TreeInputError(
          "input_full",
          `the process does not read: more than ${MAX_OUTBOX_CHARS} characters are waiting`,
        ),
      );
    let text: string;
    try {
      text = JSON.stringify(message);
    } catch (cause) {
      return sender.failed(this.#unwritable(cause));
    }
    if (this.#outbox === "") {
      this.#outbox = `${text}\n`;
      this.#senders = [sender];
      process.nextTick(this.#flush);
    } else {
      this.#outbox += `${text}\n`;
      this.#senders.push(sender);
    }
  }

  async close(): Promise<void> {
    this.#isGivenUp = true;
    await this.#starting?.catch(() => {}); // If the start succeeds in the meantime, its process is ended below.
    this.#flush(); // Messages that were sent before.
    // A process that never sent anything has no session to finish, and often does not notice the end of its input.
    if (this.#chunks === 0) this.#tree?.kill();
    await this.#tree?.end({ graceMs: this.#options.graceMs });
    this.#ended();
  }

  async #launch(): Promise<void> {
    if (this.#isGivenUp) throw this.#closedTooSoon();
    const { command, args = [], env } = this.#config;
    const place = this.#place;
    const cwd = this.#config.cwd ?? place?.cwd;
    const tree = await this.#options.startTree(command, args, {
      env: safeEnvironment(env, place?.env),
      stdin: "pipe",
      onStdout: (chunk) => {
        if (this.#isOrphaned) return;
        this.#chunks++;
        this.onarrival?.();
        this.#messages.push(chunk);
      },
      onStderr: (chunk) => {
        this.#chunks++;
        this.onarrival?.();
        this.#stderr.push(chunk);
        this.onstderr?.(chunk);
      },
      onStdoutEnd: () => void this.#hungUp(),
      ...(cwd === undefined ? {} : { cwd }),
      ...(place?.umask === undefined ? {} : { umask: place.umask }),
    });
    if (this.#isGivenUp) {
      await tree.end({ graceMs: this.#options.graceMs });
      throw this.#closedTooSoon();
    }
    this.#tree = tree;
    void tree.exited.then((exit) => {
      if (!this.refusal) this.exit = exit;
      this.#lastOutput = this.#readLastOutput();
      void tree.gone.then(() => this.#endAfterWrites());
    });
  }

  #closedTooSoon(): Error {
    return new Error(`server "${this.#config.id}" was closed before its process had started`);
  }

  #unwritable(cause: unknown): ProtocolFault {
    const { id: server } = this.#config;
    const message = `a message to server "${server}" cannot be written as JSON: ${describeError(cause)}`;
    return new ProtocolFault("tool_error", message, { server, retrySafe: true, cause });
  }

  readonly #flush = (): void => {
    if (this.#outbox === "") return;
    const batch = this.#outbox;
    const senders = this.#senders;
    this.#outbox = "";
    this.#tree?.send(batch, (failure) => {
      if (failure) void this.#notWritten(senders, failure);
      else for (const sender of senders) sender.written?.();
    });
  };

  async #notWritten(senders: readonly Sender[], failure: TreeInputError): Promise<void> {
    // Report the failure only when the exit code and the last output can explain it.
    if (failure.kind === "input_closed") await this.#hungUp();
    for (const sender of senders) sender.failed(failure);
  }

  #refuse(firstLine: string): void {
    if (this.refusal || this.#closed) return;
    const { id: server } = this.#config;
    const message = `server "${server}" prints text instead of MCP messages on standard output; the first line: ${firstLine}`;
    this.refusal = new ProtocolFault("protocol", message, { server, retrySafe: true });
    this.onerror?.(this.refusal);
    void this.close();
  }

  /**
   * A process that runs on without its output or its input will never answer. It is usually exiting, so wait briefly for
   * its exit code and its last output.
   */
  #hungUp(): Promise<void> {
    this.#leaving ??= (async () => {
      const exited = this.#tree?.exited.then(() => this.#lastOutput);
      if (await settlesWithin(exited ?? Promise.resolve(), EXIT_PATIENCE_MS)) return;
      // If this process was busy, the exit may be reported in this very turn.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.exit) await this.#lastOutput;
      else void this.close();
    })();
    return this.#leaving;
  }

  /** A failed write is reported first: its error shows whether the message can have arrived. */
  async #endAfterWrites(): Promise<void> {
    await this.#leaving;
    if (this.#leaving) await new Promise((resolve) => setImmediate(resolve));
    this.#ended();
  }

  /** What the process wrote before its exit is already in the pipe. Its children may keep the pipe open and write to it. */
  async #readLastOutput(): Promise<void> {
    for (let turn = 0, quiet = 0; turn < MAX_LAST_TURNS && quiet < QUIET_TURNS; turn++) {
      const before = this.#chunks;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#chunks === before ? quiet + 1 : 0;
    }
    this.#isOrphaned = true;
  }

  #ended(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

/** The last part of what a process wrote to standard error. */
interface StderrRing {
  push(chunk: Buffer): void;
  /** Everything that is kept. */
  text(): string;
}

/** Keeps the last `maxBytes` bytes. Texts are redacted as a whole, because a secret may arrive in several chunks. */
function createStderrRing(maxBytes: number, redactor: Redactor): StderrRing {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  let shown: string | undefined;
  return {
    push(chunk) {
      shown = undefined;
      chunks.push(chunk.subarray(-maxBytes));
      bytes += chunk.length;
      isCut ||= bytes > maxBytes;
      // Joined only after twice the limit, so a flood of small chunks stays cheap.
      if (bytes < maxBytes * 2) return;
      const joined = Buffer.from(Buffer.concat(chunks).subarray(-maxBytes));
      chunks = [joined];
      bytes = joined.length;
    },
    text() {
      shown ??= redactor.text(wholeText(Buffer.concat(chunks).subarray(-maxBytes)), {
        start: isCut,
        end: true,
      });
      return shown;
    },
  };
}

/** The bytes may begin within a character. */
function wholeText(bytes: Buffer): string {
  return bytes.toString("utf8", wholeCharactersStart(bytes)).trimEnd();
}
