import { setTimeout as pause } from "node:timers/promises";
import { errorCode, joinSignals } from "indusagi/core";
import {
  inSession,
  legacyCall,
  modernRequest,
  type RawAnswer,
  type RawMessage,
  type RawRequest,
  send,
} from "../../../indusagi/test/interop/host/http/raw-http.ts";

/** Who a client is, and where. */
export interface Whisperer {
  readonly url: string;
  readonly client: number;
  readonly token?: string;
  readonly era: "legacy" | "modern";
}

/** One call of the tool `whisper`. */
export interface Whisper {
  /** Equal for all clients. */
  readonly id: number;
  readonly secret: string;
  readonly server: string;
  readonly waitMs: number;
  readonly asks: boolean;
  /** When the client gives up, in the way of its era. */
  readonly cancelAfterMs?: number;
}

const LEVEL = { "io.modelcontextprotocol/logLevel": "debug" };
const CAPABILITIES = { elicitation: { form: {} } };
const MAX_ROUNDS = 3;
const MAX_TRIES = 20;

/** A client that keeps every byte it receives and answers a question with the secret that is in it. */
export class WhisperingClient {
  readonly #who: Whisperer;
  readonly #stop = new AbortController();
  #session: string | undefined;
  #heard = "";

  constructor(who: Whisperer) {
    this.#who = who;
  }

  /** All bytes so far. */
  get heard(): string {
    return this.#heard;
  }

  /** A legacy client opens a session, asks for all log messages and listens to everything else that the gateway sends. */
  async open(): Promise<void> {
    if (this.#who.era === "modern") return;
    const params = {
      protocolVersion: "2025-11-25",
      capabilities: CAPABILITIES,
      clientInfo: { name: `client-${this.#who.client}`, version: "1.0.0" },
    };
    const answer = await this.#send({ body: { jsonrpc: "2.0", id: 0, method: "initialize", params } });
    this.#session = String(answer.headers["mcp-session-id"]);
    await this.#send({ body: { jsonrpc: "2.0", method: "notifications/initialized" } });
    void this.#listen();
    const body = { jsonrpc: "2.0", id: 0, method: "logging/setLevel", params: { level: "debug" } };
    await this.#send({ body });
  }

  /** The text of the answer; all of the answer if it has none; undefined if the client has gone. */
  async whisper(whisper: Whisper): Promise<string | undefined> {
    const abort = new AbortController();
    if (whisper.cancelAfterMs !== undefined) void this.#cancel(whisper, abort);
    try {
      return this.#who.era === "modern"
        ? await this.#whisperModern(whisper, abort.signal)
        : textIn(await this.#send({ body: this.#legacyCall(whisper), signal: abort.signal }));
    } catch (thrown) {
      if (abort.signal.aborted || this.#stop.signal.aborted) return undefined;
      throw thrown;
    }
  }

  /** Leaves without a word: its connections break. */
  leave(): void {
    this.#stop.abort();
  }

  async #whisperModern(whisper: Whisper, signal: AbortSignal): Promise<string | undefined> {
    let more: object = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { id } = whisper;
      const params = { ...paramsOf(whisper), ...more, _meta: { ...LEVEL, progressToken: id } };
      const answer = await this.#send({ ...modernRequest(id, "tools/call", params), signal });
      const result = answer.messages.find((message) => message.result)?.result;
      if (result?.["resultType"] !== "input_required") return textIn(answer);
      const requests = result["inputRequests"] as { readonly [key: string]: RawMessage };
      const answers = Object.entries(requests).map(([key, { params: asked }]) => [key, answerTo(asked)]);
      more = { inputResponses: Object.fromEntries(answers), requestState: result["requestState"] };
    }
    return "too many questions";
  }

  #legacyCall(whisper: Whisper): object {
    const { name, arguments: args } = paramsOf(whisper);
    return legacyCall(whisper.id, name, args, { progressToken: whisper.id });
  }

  async #listen(): Promise<void> {
    await this.#send({ method: "GET" }).catch(() => {});
  }

  async #cancel({ id, cancelAfterMs }: Whisper, abort: AbortController): Promise<void> {
    await pause(cancelAfterMs);
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
    if (this.#who.era === "legacy") await this.#send({ body }).catch(() => {});
    abort.abort();
  }

  /**
   * On a busy machine a request may take longer to be sent than the gateway waits for it: it answers with 408 or closes the
   * connection. A client tries again.
   */
  async #send(raw: RawRequest): Promise<RawAnswer> {
    for (let left = MAX_TRIES; ; left -= 1) {
      const answer = await this.#try(raw).catch((thrown: unknown) => {
        if (left > 0 && errorCode(thrown) === "ECONNRESET") return undefined;
        throw thrown;
      });
      if (answer && (answer.status !== 408 || left === 0)) return answer;
      await pause(100);
    }
  }

  #try(raw: RawRequest): Promise<RawAnswer> {
    const { token, url } = this.#who;
    let rest = "";
    return send(url, {
      ...raw,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(this.#session === undefined ? {} : inSession(this.#session)),
        ...raw.headers,
      },
      signal: joinSignals(raw.signal, this.#stop.signal),
      onText: (part) => {
        this.#heard += part;
        const lines = (rest + part).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) this.#answerQuestion(line);
      },
    });
  }

  /** A server's question to a legacy client is a request in a stream. */
  #answerQuestion(line: string): void {
    if (!line.startsWith("data: {")) return;
    const { id, method, params } = JSON.parse(line.slice("data: ".length)) as RawMessage;
    if (method !== "elicitation/create" || id === undefined) return;
    void this.#send({ body: { jsonrpc: "2.0", id, result: answerTo(params) } }).catch(() => {});
  }
}

function paramsOf({ server, secret, waitMs, asks }: Whisper): { name: string; arguments: object } {
  return { name: `${server}__whisper`, arguments: { secret, waitMs, asks } };
}

function answerTo(params: RawMessage["params"]): object {
  return { action: "accept", content: { name: String(params?.["message"]) } };
}

function textIn({ messages, status, text }: RawAnswer): string {
  const result = messages.find((message) => message.result)?.result;
  const content = result?.["content"] as { readonly text?: string }[] | undefined;
  return content?.[0]?.text ?? `${status} ${text}`;
}
