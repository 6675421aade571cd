import { callListener, cutText, shortenText } from "../../core/index.ts";
import type { Redactor } from "../../core/internal.ts";
import type { RpcMessage, WireEvent, WireMessage } from "../contract/index.ts";
import { TextLines } from "./text-lines.ts";

export interface WireWatchOptions {
  readonly redactor: Redactor;
  readonly onEvent: (event: WireEvent) => void;
  /** More events in one second are counted and left out: a log must not slow down a busy server. Default 500. */
  readonly maxPerSecond?: number;
}

interface SentRequest {
  readonly method: string;
  readonly target: string | undefined;
  readonly startedMs: number;
}

const MAX_LINE_CHARS = 2000;
const MAX_NOTE_CHARS = 300;
/** Requests that wait for an answer. The oldest are forgotten: a cancelled one may never be answered. */
const MAX_WAITING = 1000;
const SECOND_MS = 1000;

/** Describes what passes on one connection: messages in brief, and the lines of standard error. */
export class WireWatch {
  readonly #options: Required<WireWatchOptions>;
  readonly #lines: TextLines;
  /** The requests in each direction: the ids of both sides are independent. */
  readonly #waiting = { sent: new Map<unknown, SentRequest>(), received: new Map<unknown, SentRequest>() };
  #second = 0;
  #count = 0;

  constructor(options: WireWatchOptions) {
    this.#options = { maxPerSecond: 500, ...options };
    this.#lines = new TextLines({
      maxChars: MAX_LINE_CHARS,
      onLine: (line, isCut) => {
        if (this.#hasRoom()) this.#emit({ kind: "stderr", line: this.#shown(line, MAX_LINE_CHARS, isCut) });
      },
    });
  }

  stderr(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  message(kind: WireMessage["kind"], message: RpcMessage): void {
    // A call may report progress thousands of times.
    if (message.method === "notifications/progress") return;
    const request = message.method === undefined ? this.#answered(kind, message) : undefined;
    if (message.method !== undefined && message.id !== undefined) this.#remember(kind, message);
    if (!this.#hasRoom()) return;
    const target = request ? request.target : targetOf(message);
    const method = message.method ?? request?.method;
    const note = this.#noteOf(kind, method, message);
    this.#emit({
      kind,
      ...(message.id !== undefined && { id: message.id }),
      ...(method !== undefined && { method }),
      ...(message.method === undefined && { isAnswer: true }),
      ...(target !== undefined && { target: this.#shown(target, MAX_NOTE_CHARS) }),
      ...(request && { ms: Math.round(performance.now() - request.startedMs) }),
      ...(message.error && {
        error: {
          code: message.error.code,
          message: this.#shown(wordsIn(message.error.message), MAX_NOTE_CHARS),
        },
      }),
      ...(note !== undefined && { note }),
    });
  }

  /** The connection has ended. */
  end(): void {
    this.#lines.end();
    this.#reportDropped();
  }

  #remember(kind: WireMessage["kind"], message: RpcMessage): void {
    const waiting = this.#waiting[kind];
    if (waiting.size >= MAX_WAITING) waiting.delete(waiting.keys().next().value);
    const { id, method = "" } = message;
    waiting.set(id, { method, target: targetOf(message), startedMs: performance.now() });
  }

  #answered(kind: WireMessage["kind"], { id }: RpcMessage): SentRequest | undefined {
    const waiting = this.#waiting[kind === "sent" ? "received" : "sent"];
    const request = waiting.get(id);
    waiting.delete(id);
    return request;
  }

  #noteOf(kind: WireMessage["kind"], method: string | undefined, message: RpcMessage): string | undefined {
    if (kind !== "received") return undefined;
    const note = message.method === undefined ? resultNote(method, message.result) : logNote(message);
    return note === undefined ? undefined : this.#shown(note, MAX_NOTE_CHARS);
  }

  /** Cut before the search for secrets, so that a huge text costs little, and shortened after it. */
  #shown(text: string, max: number, isCut = false): string {
    const head = cutText(text, MAX_LINE_CHARS);
    return shortenText(this.#options.redactor.text(head, { end: isCut || head.length < text.length }), max);
  }

  /** Counts an event. False if there were too many in this second. */
  #hasRoom(): boolean {
    const second = Math.floor(performance.now() / SECOND_MS);
    if (second !== this.#second) {
      this.#reportDropped();
      this.#second = second;
      this.#count = 0;
    }
    this.#count++;
    return this.#count <= this.#options.maxPerSecond;
  }

  #reportDropped(): void {
    const count = this.#count - this.#options.maxPerSecond;
    this.#count = 0;
    if (count > 0) this.#emit({ kind: "dropped", count });
  }

  #emit(event: WireEvent): void {
    callListener(this.#options.onEvent, event);
  }
}

/** What a request is about: the name of its tool or prompt, or the address of its resource. */
function targetOf({ params }: RpcMessage): string | undefined {
  const target = params?.["name"] ?? params?.["uri"];
  return typeof target === "string" ? target : undefined;
}

/** Only texts: writing a large value as JSON could take longer than the call. */
function logNote({ method, params }: RpcMessage): string | undefined {
  if (method !== "notifications/message") return undefined;
  const data = params?.["data"] as { readonly message?: unknown } | string | undefined;
  const text = typeof data === "object" ? data?.message : data;
  return `${wordsIn(params?.["level"])}: ${typeof text === "string" ? text : "(data)"}`;
}

function resultNote(method: string | undefined, result: unknown): string | undefined {
  if (typeof result !== "object" || result === null) return undefined;
  const found = result as { readonly [member: string]: unknown };
  if (method === "tools/list" && Array.isArray(found["tools"])) return `${found["tools"].length} tools`;
  if (method === "tools/call" && found["isError"] === true) return "the tool reports an error";
  const versions = wordsIn(found["protocolVersion"] ?? found["supportedVersions"]);
  if (versions === "") return undefined;
  const meta = found["_meta"] as { readonly [name: string]: unknown } | undefined;
  const info = found["serverInfo"] ?? meta?.["io.modelcontextprotocol/serverInfo"];
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  return `${wordsIn(name)} ${wordsIn(version)} protocol ${versions}`.trim();
}

/** A value of a server, which may be of any type. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).join(" ");
  return typeof value === "string" ? value : "";
}
