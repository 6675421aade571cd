import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly [member: string]: unknown };
  readonly error?: unknown;
}

const HELLO = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
};

const MODERN = "2026-07-28";
const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1.0.0" },
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};

/**
 * A client over Streamable HTTP that is written by hand, so that its own time is small. It keeps its connections open, and
 * understands an answer as JSON and as a stream.
 */
export class HttpCaller {
  readonly #url: URL;
  readonly #agent: Agent;
  #session: string | undefined;
  #nextId = 1;

  /** `inFlight`: the largest number of requests at the same time. */
  constructor(url: string, inFlight: number) {
    this.#url = new URL(url);
    this.#agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  }

  async open(): Promise<this> {
    const { headers } = await this.#post({ id: 0, method: "initialize", params: HELLO });
    const session = headers["mcp-session-id"];
    this.#session = typeof session === "string" ? session : undefined;
    await this.#post({ method: "notifications/initialized" });
    return this;
  }

  /** The result of a request. Rejects on an error, and on a result that reports one. */
  request(method: string, params: object = {}): Promise<{ readonly [member: string]: unknown }> {
    return this.#request(method, params, {});
  }

  /** The same in the newer protocol, by a client that follows tasks. It needs no session. */
  modernRequest(
    method: string,
    params: { readonly [member: string]: unknown } = {},
  ): Promise<{ readonly [member: string]: unknown }> {
    const name = params["name"] ?? params["taskId"];
    return this.#request(
      method,
      { ...params, _meta: MODERN_META },
      {
        "mcp-protocol-version": MODERN,
        "mcp-method": method,
        ...(typeof name === "string" && { "mcp-name": name }),
      },
    );
  }

  async #request(
    method: string,
    params: object,
    sent: { readonly [name: string]: string },
  ): Promise<{ readonly [member: string]: unknown }> {
    const id = this.#nextId++;
    const { text, headers } = await this.#post({ id, method, params }, sent);
    const found = messagesIn(text, headers).find((message) => message.id === id);
    if (!found?.result || found.result["isError"] === true)
      throw new Error(`${method} failed: ${text.slice(0, 300)}`);
    return found.result;
  }

  close(): void {
    this.#agent.destroy();
  }

  #post(
    message: object,
    headers: { readonly [name: string]: string } = {},
  ): Promise<{ readonly text: string; readonly headers: IncomingHttpHeaders }> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return new Promise((resolve, reject) => {
      const sent = request(this.#url, {
        method: "POST",
        agent: this.#agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          accept: "application/json, text/event-stream",
          ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
          ...headers,
        },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const { statusCode = 0, headers } = response;
        readAll(response).then((text) => {
          if (statusCode < 300) resolve({ text, headers });
          else reject(new Error(`HTTP ${statusCode}: ${text.slice(0, 300)}`));
        }, reject);
      });
      sent.end(body);
    });
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function messagesIn(text: string, headers: IncomingHttpHeaders): Answer[] {
  if (!headers["content-type"]?.startsWith("text/event-stream")) return [JSON.parse(text) as Answer];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:") && line.length > 6)
    .map((line) => JSON.parse(line.slice(5)) as Answer);
}
