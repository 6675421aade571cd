import { escapeForDisplay } from "../../core/index.ts";
import type { Redactor } from "../../core/internal.ts";
import type { RpcMessage } from "../contract/index.ts";
import { type Frame, FrameReader, type OversizedFrame, textOf } from "./frames/frame-reader.ts";
import { type AnswerKeeper, keepAnswer, LARGE_BYTES } from "./lane/kept-result.ts";

/** Lines on standard output that are not messages. The first few are kept for display. */
export interface Garbage {
  readonly lines: number;
  readonly bytes: number;
  readonly first: readonly string[];
}

export interface StdoutMessagesOptions {
  /** A longer message is dropped. */
  readonly maxBytes: number;
  /** Removes secrets from the lines that are kept. */
  readonly redactor: Redactor;
  readonly onMessage: (message: RpcMessage) => void;
  readonly onOversized: (frame: OversizedFrame) => void;
  /** Takes large answers before they are parsed. */
  readonly keeper?: (() => AnswerKeeper | undefined) | undefined;
  /** Called when so much text comes before the first message that this is not an MCP server. */
  readonly onRefused: (firstLine: string) => void;
}

/** Bytes at the start of a frame that decide whether it can be a message. */
const HEAD_BYTES = 67;
const BRACE = 0x7b;
const GARBAGE_SHOWN = 3;
const GARBAGE_CHARS = 200;
/** A program that prints this much before its first message is not an MCP server. */
const MAX_GARBAGE_BYTES = 1024 * 1024;

/** The messages in the standard output of a process, one per line. Other lines are skipped and counted. */
export class StdoutMessages {
  readonly garbage: Garbage;
  readonly #garbage = { lines: 0, bytes: 0, first: [] as string[] };
  readonly #options: StdoutMessagesOptions;
  readonly #reader: FrameReader;
  #messages = 0;

  constructor(options: StdoutMessagesOptions) {
    this.#options = options;
    this.garbage = this.#garbage;
    this.#reader = new FrameReader({
      maxBytes: options.maxBytes,
      onFrame: this.#receive,
      onOversized: options.onOversized,
      ownsChunks: true,
    });
  }

  /** The chunk may be empty afterwards. */
  push(chunk: Buffer): void {
    this.#reader.push(chunk);
    if (this.#messages === 0) this.#checkUnfinished();
  }

  readonly #receive = (frame: Frame): void => {
    const keeper = frame.bytes >= LARGE_BYTES ? this.#options.keeper?.() : undefined;
    const message = keeper?.isWaiting ? keptOrParsed(frame, keeper) : parseFrame(frame, () => frame.text());
    if (!message) return this.#skip(frame);
    this.#messages++;
    if (message !== KEPT) this.#options.onMessage(message);
  };

  #skip(frame: Frame): void {
    const text = this.#beginning(frame.head);
    if (text === "") return;
    this.#garbage.lines++;
    this.#garbage.bytes += frame.bytes;
    if (this.#garbage.first.length < GARBAGE_SHOWN) this.#garbage.first.push(text);
    if (this.#messages === 0 && this.#garbage.bytes > MAX_GARBAGE_BYTES) this.#refuse();
  }

  /** The beginning of a line, safe to display. */
  #beginning(line: Buffer): string {
    const text = line.subarray(0, GARBAGE_CHARS).toString("utf8").trim();
    return escapeForDisplay(this.#options.redactor.text(text, { end: line.length > GARBAGE_CHARS }));
  }

  /** Before the first message, output without line ends can be garbage too. */
  #checkUnfinished(): void {
    const reader = this.#reader;
    if (this.#garbage.bytes + reader.unfinishedBytes <= MAX_GARBAGE_BYTES) return;
    const head = reader.unfinishedHead();
    if (!beginsObject(head)) this.#refuse(head);
  }

  #refuse(unfinished: Buffer = Buffer.alloc(0)): void {
    this.#options.onRefused(this.#garbage.first[0] ?? this.#beginning(unfinished));
  }
}

/** The keeper has taken the message. */
const KEPT: RpcMessage = { jsonrpc: "2.0" };

function keptOrParsed(frame: Frame, keeper: AnswerKeeper): RpcMessage | undefined {
  const bytes = frame.take();
  if (keepAnswer(bytes, keeper) !== undefined) return KEPT;
  return parseFrame(frame, () => textOf(bytes));
}

/** Accepts a byte order mark or spaces before the brace. Anything else that is not a JSON object is not a message. */
function parseFrame(frame: Frame, text: () => string): RpcMessage | undefined {
  if (frame.first !== BRACE && !beginsObject(frame.head)) return undefined;
  try {
    const value: unknown = JSON.parse(text());
    if (typeof value !== "object" || value === null || (value as RpcMessage).jsonrpc !== "2.0")
      return undefined;
    return value as RpcMessage;
  } catch {
    return undefined;
  }
}

function beginsObject(head: Buffer): boolean {
  const hasMark = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  return /^\s*\{/.test(head.subarray(hasMark ? 3 : 0, HEAD_BYTES).toString("latin1"));
}
