import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { answerTo, CLIENT_CAPABILITIES, CLIENT_INFO } from "./answers.ts";
import { type Target, transportTo } from "./target.ts";

export type Era = "legacy" | "modern";

type Json = { readonly [member: string]: unknown };

/** A notification as it arrived. */
export interface Note {
  readonly method: string;
  readonly params: Json;
}

/** What a server asked its client: a request of the legacy era, or a part of an `input_required` result. */
export interface Question {
  readonly method: string;
  readonly params: unknown;
}

/** The last answer to a request, or why there is none. */
export type Answer = { readonly result: Json } | { readonly error: Json } | { readonly failure: string };

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly meta?: Json;
  readonly timeoutMs?: number;
}

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const META = "io.modelcontextprotocol/";
const CONNECT_MS = 30_000;
const REQUEST_MS = 20_000;
/** More rounds of questions than any server of the plans has. */
const MAX_ROUNDS = 5;

/**
 * A client that changes and checks nothing: every message is kept as it came. It answers each question of a server, in both
 * eras, with the same fixed answer.
 */
export class WireSession implements AsyncDisposable {
  readonly era: Era;
  readonly notes: Note[] = [];
  readonly questions: Question[] = [];
  /** The result of `initialize` or `server/discover`. */
  hello: Json = {};
  /** What this client can do, with the extensions it declares. */
  readonly capabilities: Json;
  readonly #transport: Transport;
  readonly #waiting = new Map<unknown, (message: JSONRPCMessage) => void>();
  #nextId = 1;
  #fault: string | undefined;

  private constructor(transport: Transport, era: Era, extensions: Json | undefined) {
    this.#transport = transport;
    this.era = era;
    this.capabilities = extensions ? { ...CLIENT_CAPABILITIES, extensions } : CLIENT_CAPABILITIES;
  }

  /** Connects in this era and no other. Throws, with the reason, if that is not possible. */
  static async open(target: Target, era: Era, extensions?: Json): Promise<WireSession> {
    const opened = transportTo(target);
    const { transport } = opened;
    const session = new WireSession(transport, era, extensions);
    try {
      transport.onmessage = (message) => session.#receive(message);
      transport.onclose = () => session.#end("the connection was closed");
      await transport.start();
      await session.#greet();
      return session;
    } catch (thrown) {
      await session.close();
      const words = opened.lastWords();
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`${reason}${words === "" ? "" : ` (${words})`}`, { cause: thrown });
    }
  }

  /** Sends a request and answers what is asked before its answer. */
  async request(method: string, params: Json = {}, options: RequestOptions = {}): Promise<Answer> {
    let given = params;
    for (let round = 0; ; round++) {
      const answer = await this.#exchange(method, given, options);
      const asked = "result" in answer && answer.result["resultType"] === "input_required";
      if (!asked || round === MAX_ROUNDS) return answer;
      const { inputRequests = {}, requestState } = answer.result as {
        readonly inputRequests?: { readonly [key: string]: Question };
        readonly requestState?: string;
      };
      const inputResponses: { [key: string]: unknown } = {};
      for (const [key, question] of Object.entries(inputRequests)) {
        this.questions.push({ method: question.method, params: question.params });
        inputResponses[key] = answerTo(question.method, question.params);
      }
      given = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
  }

  async notify(method: string, params?: Json): Promise<void> {
    await this.#transport.send({ jsonrpc: "2.0", method, ...(params ? { params: { ...params } } : {}) });
  }

  /** The parameters of the notes with this method that came after a number of notes. */
  notesSince(from: number, method: string): readonly Json[] {
    return this.notes
      .slice(from)
      .filter((note) => note.method === method)
      .map(({ params }) => params);
  }

  /** Resolves when there is such a note, or after the time. Returns whether there is one. */
  async noted(from: number, method: string, withinMs: number): Promise<boolean> {
    const until = performance.now() + withinMs;
    while (this.notesSince(from, method).length === 0 && performance.now() < until) await sleep(10);
    return this.notesSince(from, method).length > 0;
  }

  async close(): Promise<void> {
    const closing = this.#transport.close().catch(() => {});
    await Promise.race([closing, sleep(CONNECT_MS)]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #greet(): Promise<void> {
    const isModern = this.era === "modern";
    const params = { protocolVersion: LEGACY, capabilities: this.capabilities, clientInfo: CLIENT_INFO };
    const timeoutMs = CONNECT_MS;
    const answer = isModern
      ? await this.request("server/discover", {}, { timeoutMs })
      : await this.request("initialize", params, { timeoutMs });
    if (!("result" in answer)) throw new Error(`not connected: ${JSON.stringify(answer).slice(0, 300)}`);
    this.hello = answer.result;
    if (isModern) return;
    const version = answer.result["protocolVersion"];
    if (typeof version === "string") this.#transport.setProtocolVersion?.(version);
    await this.notify("notifications/initialized");
  }

  #exchange(method: string, params: Json, { signal, meta, timeoutMs }: RequestOptions): Promise<Answer> {
    const id = this.#nextId++;
    const abort = new AbortController();
    return new Promise((resolve) => {
      const settle = (answer: Answer): void => {
        clearTimeout(timer);
        this.#waiting.delete(id);
        resolve(answer);
      };
      const limitMs = timeoutMs ?? REQUEST_MS;
      const timer = setTimeout(() => settle({ failure: `no answer in ${limitMs / 1000} s` }), limitMs);
      this.#waiting.set(id, (message) => settle(answerIn(message)));
      if (this.#fault !== undefined) return settle({ failure: this.#fault });
      signal?.addEventListener("abort", () => void this.#cancel(id, abort, settle), { once: true });
      const message = { jsonrpc: "2.0" as const, id, method, params: this.#envelope(params, meta) };
      this.#transport
        .send(message, { requestSignal: abort.signal })
        .catch((thrown: unknown) => settle(refusalIn(thrown)));
    });
  }

  #envelope(params: Json, meta: Json | undefined): { [member: string]: unknown } {
    const own =
      this.era === "modern"
        ? {
            [`${META}protocolVersion`]: MODERN,
            [`${META}clientInfo`]: CLIENT_INFO,
            [`${META}clientCapabilities`]: this.capabilities,
          }
        : {};
    const all = { ...own, ...meta };
    return Object.keys(all).length === 0 ? { ...params } : { ...params, _meta: all };
  }

  /** A modern client cancels over HTTP by closing the response, and in all other cases with a notification. */
  async #cancel(id: number, abort: AbortController, settle: (answer: Answer) => void): Promise<void> {
    if (this.era === "legacy" || !this.#transport.hasPerRequestStream)
      await this.notify("notifications/cancelled", { requestId: id, reason: "not needed" }).catch(() => {});
    abort.abort();
    settle({ failure: "cancelled" });
  }

  #receive(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message) void this.#answerQuestion(message);
    else if ("method" in message) this.notes.push({ method: message.method, params: message.params ?? {} });
    else this.#waiting.get(message.id)?.(message);
  }

  async #answerQuestion({ id, method, params }: Partial<Question> & AskedMessage): Promise<void> {
    if (method !== "ping") this.questions.push({ method, params });
    const result = answerTo(method, params);
    const answer = result ? { result: result as { [member: string]: unknown } } : { error: UNKNOWN_METHOD };
    await this.#transport.send({ jsonrpc: "2.0", id, ...answer }).catch(() => {});
  }

  #end(reason: string): void {
    this.#fault ??= reason;
    for (const settle of this.#waiting.values())
      settle({ jsonrpc: "2.0", id: 0, error: { code: 0, message: reason } });
  }
}

interface AskedMessage {
  readonly id: string | number;
  readonly method: string;
}

const UNKNOWN_METHOD = { code: -32601, message: "Method not found" };

function answerIn(message: JSONRPCMessage): Answer {
  if ("result" in message) return { result: message.result };
  if (!("error" in message)) return { failure: "an answer without result and error" };
  const { code, message: text, data } = message.error;
  return { error: { code, message: text, ...(data === undefined ? {} : { data }) } };
}

/** An HTTP status other than 200. A JSON-RPC error in its body counts as the answer. */
function refusalIn(thrown: unknown): Answer {
  const { text } = (thrown as { readonly data?: { readonly text?: unknown } })?.data ?? {};
  try {
    const body = JSON.parse(String(text)) as JSONRPCMessage;
    if ("error" in body) return answerIn(body);
  } catch {
    // No JSON: the status is all there is.
  }
  return { failure: thrown instanceof Error ? thrown.message : String(thrown) };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
