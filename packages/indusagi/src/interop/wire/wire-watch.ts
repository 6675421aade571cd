import { StringDecoder } from "node:string_decoder";
import { callListener, cutText, shortenText } from "../../core/index.ts";
import type { Redactor } from "../../core/internal.ts";
import { LOG_METHOD, MetaKey, type RpcMessage, type WireEvent, type WireMessage } from "../contract/index.ts";

interface WireWatchOptions {
  readonly redactor: Redactor;
  readonly onEvent: (event: WireEvent) => void;
  /** More events per second are only counted: a log must not slow down a busy server. Default 500. */
  readonly maxPerSecond?: number | undefined;
}

/** What a message is about. */
interface Subject {
  readonly method: string;
  readonly target: string | undefined;
  readonly startedMs: number;
}

const MAX_PER_SECOND = 500;
const MAX_LINE_CHARS = 2000;
const MAX_NOTE_CHARS = 300;
/** Pending requests that are remembered. The oldest are dropped: a cancelled one may never be answered. */
const MAX_WAITING = 1000;
const SECOND_MS = 1000;

/** Describes the traffic of one connection: messages in brief, and lines of standard error. */
export class WireWatch {
  readonly #options: WireWatchOptions;
  readonly #maxPerSecond: number;
  readonly #lines: TextLines;
  /** Pending requests by direction: both sides choose their ids independently. */
  readonly #waiting = { sent: new Map<unknown, Subject>(), received: new Map<unknown, Subject>() };
  #second = 0;
  #count = 0;

  constructor(options: WireWatchOptions) {
    this.#options = options;
    this.#maxPerSecond = options.maxPerSecond ?? MAX_PER_SECOND;
    this.#lines = new TextLines({
      maxChars: MAX_LINE_CHARS,
      onLine: (line, isCut) => {
        if (!this.#hasRoom()) return;
        const shown = this.#shown(line, MAX_LINE_CHARS, isCut);
        callListener(this.#options.onEvent, { kind: "stderr", line: shown });
      },
    });
  }

  stderr(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  message(kind: WireMessage["kind"], message: RpcMessage): void {
    const { id, method, error } = message;
    // A call may report progress thousands of times.
    if (method === "notifications/progress") return;
    const isAnswer = method === undefined;
    const subject = isAnswer ? this.#answered(kind, id) : this.#begun(kind, method, message);
    if (!this.#hasRoom()) return;
    const note = kind === "received" ? noteOf(subject?.method, message) : undefined;
    callListener(this.#options.onEvent, {
      kind,
      ...(id !== undefined && { id }),
      ...(subject && { method: subject.method }),
      ...(isAnswer && { isAnswer }),
      ...(subject?.target !== undefined && { target: this.#shown(subject.target, MAX_NOTE_CHARS) }),
      ...(isAnswer && subject && { ms: Math.round(performance.now() - subject.startedMs) }),
      ...(error && {
        error: { code: error.code, message: this.#shown(wordsIn(error.message), MAX_NOTE_CHARS) },
      }),
      ...(note !== undefined && { note: this.#shown(note, MAX_NOTE_CHARS) }),
    });
  }

  /** The connection has ended. */
  end(): void {
    this.#lines.end();
    this.#reportDropped();
  }

  /** Remembers a request until its answer. Its target is the name of a tool or prompt, or the URI of a resource. */
  #begun(kind: WireMessage["kind"], method: string, { id, params }: RpcMessage): Subject {
    const target = params?.["name"] ?? params?.["uri"];
    const subject = {
      method,
      target: typeof target === "string" ? target : undefined,
      startedMs: performance.now(),
    };
    if (id === undefined) return subject;
    const waiting = this.#waiting[kind];
    if (waiting.size >= MAX_WAITING) waiting.delete(waiting.keys().next().value);
    waiting.set(id, subject);
    return subject;
  }

  #answered(kind: WireMessage["kind"], id: unknown): Subject | undefined {
    const waiting = this.#waiting[kind === "sent" ? "received" : "sent"];
    const subject = waiting.get(id);
    waiting.delete(id);
    return subject;
  }

  /** Cut before redaction, so a huge text costs little, and shortened after it. */
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
    return this.#count <= this.#maxPerSecond;
  }

  #reportDropped(): void {
    const count = this.#count - this.#maxPerSecond;
    this.#count = 0;
    if (count > 0) callListener(this.#options.onEvent, { kind: "dropped", count });
  }
}

/** A one-line summary of a received message, if there is one. */
function noteOf(method: string | undefined, message: RpcMessage): string | undefined {
  if (message.method !== undefined) return logNote(message);
  if (typeof message.result !== "object" || message.result === null) return undefined;
  const found = message.result as { readonly [member: string]: unknown };
  if (method === "tools/call") return found["isError"] === true ? "the tool reports an error" : undefined;
  if (method === "tools/list" && Array.isArray(found["tools"])) return `${found["tools"].length} tools`;
  return versionNote(found);
}

/** Only strings: serializing a large value could take longer than the call. */
function logNote({ method, params }: RpcMessage): string | undefined {
  if (method !== LOG_METHOD) return undefined;
  const data = params?.["data"] as { readonly message?: unknown } | string | undefined;
  const text = typeof data === "object" ? data?.message : data;
  return `${wordsIn(params?.["level"])}: ${typeof text === "string" ? text : "(data)"}`;
}

function versionNote(found: { readonly [member: string]: unknown }): string | undefined {
  const versions = wordsIn(found["protocolVersion"] ?? found["supportedVersions"]);
  if (versions === "") return undefined;
  const meta = found["_meta"] as { readonly [name: string]: unknown } | undefined;
  const info = found["serverInfo"] ?? meta?.[MetaKey.SERVER_INFO];
  const { name, version } = (info ?? {}) as { readonly name?: unknown; readonly version?: unknown };
  return `${wordsIn(name)} ${wordsIn(version)} protocol ${versions}`.trim();
}

/** A value of a server, which may be of any type. */
function wordsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsIn).join(" ");
  return typeof value === "string" ? value : "";
}

interface TextLinesOptions {
  /** A longer line is cut; the rest of it is dropped. */
  readonly maxChars: number;
  /** Called for each non-empty line, without its line end. */
  readonly onLine: (line: string, isCut: boolean) => void;
}

/** Splits a byte stream into lines of limited length, with the memory of one line. */
export class TextLines {
  readonly #options: TextLinesOptions;
  readonly #decoder = new StringDecoder("utf8");
  #line = "";
  #isCut = false;

  constructor(options: TextLinesOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    this.#take(this.#decoder.write(chunk));
  }

  /** The stream has ended: the rest is a line too. */
  end(): void {
    this.#take(this.#decoder.end());
    this.#finish();
  }

  #take(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#add(text.slice(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#add(text.slice(start));
  }

  #add(text: string): void {
    const room = this.#options.maxChars - this.#line.length;
    this.#line += text.slice(0, room);
    this.#isCut ||= text.length > room;
  }

  #finish(): void {
    const line = this.#line.trimEnd();
    if (line !== "") this.#options.onLine(line, this.#isCut);
    this.#line = "";
    this.#isCut = false;
  }
}
