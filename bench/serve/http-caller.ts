import { Agent, type IncomingHttpHeaders, request } from "node:http";

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly [member: string]: unknown };
  readonly error?: unknown;
}

/** Revisions of MCP that a caller speaks. */
export type Revision = "2025-06-18" | "2025-11-25" | "2026-07-28";

const CLIENT = { name: "bench", version: "1.0.0" };
const MODERN = "2026-07-28";

export interface CallerOptions {
  /** Default: 2025-06-18. */
  readonly revision?: Revision | undefined;
  /** What a modern client declares. */
  readonly extensions?: object;
}

interface Sent {
  readonly method: "POST" | "GET";
  readonly body?: string;
  readonly headers?: { readonly [name: string]: string };
}

interface Received {
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * A client over Streamable HTTP that is written by hand, so that its own time is small. It keeps its connections open. It does
 * what its revision asks of a client: it understands an answer as JSON and as a stream, remembers the ids of events, and asks for
 * the rest of a stream that ended before the answer. A modern request carries its context and its headers.
 */
export class HttpCaller {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #revision: Revision;
  /** The context of each modern request. */
  readonly #meta: object;
  #session: { readonly [name: string]: string } = {};
  #nextId = 1;

  /** `inFlight`: the largest number of requests at the same time. */
  constructor(url: string, inFlight: number, { revision = "2025-06-18", extensions }: CallerOptions = {}) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: inFlight });
    this.#revision = revision;
    this.#meta = {
      "io.modelcontextprotocol/protocolVersion": MODERN,
      "io.modelcontextprotocol/clientInfo": CLIENT,
      "io.modelcontextprotocol/clientCapabilities": extensions ? { extensions } : {},
    };
  }

  /** The modern revision has no sessions: one listing shows that the server speaks it. */
  async open(): Promise<this> {
    if (this.#revision === MODERN) {
      await this.request("tools/list");
      return this;
    }
    const params = { protocolVersion: this.#revision, capabilities: {}, clientInfo: CLIENT };
    const { headers } = await this.#post({ id: 0, method: "initialize", params });
    const session = headers["mcp-session-id"];
    this.#session = {
      "mcp-protocol-version": this.#revision,
      ...(typeof session === "string" ? { "mcp-session-id": session } : {}),
    };
    await this.#post({ method: "notifications/initialized" });
    return this;
  }

  /** The result of a request. Rejects on an error, and on a result that reports one. */
  async request(
    method: string,
    params: { readonly [member: string]: unknown } = {},
  ): Promise<{ readonly [member: string]: unknown }> {
    const id = this.#nextId++;
    const { result } = this.#answerIn(await this.#posted(id, method, params), id) ?? {};
    if (!result || result["isError"] === true) throw new Error(`${method} failed`);
    return result;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #posted(
    id: number,
    method: string,
    params: { readonly [member: string]: unknown },
  ): Promise<Received> {
    if (this.#revision === MODERN) {
      const name = params["name"] ?? params["taskId"];
      return this.#post(
        { id, method, params: { ...params, _meta: this.#meta } },
        {
          "mcp-protocol-version": MODERN,
          "mcp-method": method,
          ...(typeof name === "string" ? { "mcp-name": name } : {}),
        },
      );
    }
    let received = await this.#post({ id, method, params });
    while (isStream(received) && !this.#answerIn(received, id)) {
      const last = lastEventId(received.text);
      if (last === undefined) throw new Error(`${method}: the stream ended without an answer`);
      received = await this.#send({ method: "GET", headers: { ...this.#session, "last-event-id": last } });
    }
    return received;
  }

  #answerIn(received: Received, id: number): Answer | undefined {
    if (!isStream(received)) return JSON.parse(received.text) as Answer;
    for (const line of received.text.split("\n")) {
      if (!line.startsWith("data:") || line.length <= "data: ".length) continue;
      const message = JSON.parse(line.slice("data:".length)) as Answer;
      if (message.id === id) return message;
    }
    return undefined;
  }

  #post(message: object, headers = this.#session): Promise<Received> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return this.#send({
      method: "POST",
      body,
      headers: {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
        ...headers,
      },
    });
  }

  #send({ method, body, headers }: Sent): Promise<Received> {
    return new Promise((resolve, reject) => {
      const accept = body === undefined ? "text/event-stream" : "application/json, text/event-stream";
      const sent = request(this.#url, { method, agent: this.#agent, headers: { accept, ...headers } });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("error", reject);
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = (chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString("utf8");
          if ((response.statusCode ?? 0) < 300) resolve({ text, headers: response.headers });
          else reject(new Error(`HTTP ${response.statusCode}: ${text.slice(0, 300)}`));
        });
      });
      sent.end(body);
    });
  }
}

function isStream({ headers }: Received): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}

function lastEventId(text: string): string | undefined {
  const lines = text.split("\n").filter((line) => line.startsWith("id:"));
  return lines.at(-1)?.slice("id:".length).trim();
}
