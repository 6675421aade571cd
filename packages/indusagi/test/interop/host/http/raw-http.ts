import { type Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";

/** A JSON-RPC message on the wire. */
export interface RawMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly [member: string]: unknown };
  readonly result?: { readonly [member: string]: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Each message in the answer, from JSON or from a stream. */
  readonly messages: readonly RawMessage[];
}

export interface RawRequest {
  readonly method?: string;
  readonly headers?: { readonly [name: string]: string };
  /** A string or bytes are sent unchanged; anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Called with each part of the answer's body, even if the body never ends. */
  readonly onText?: (text: string) => void;
  /** Whose connections are used. Default: each request has its own. */
  readonly agent?: Agent;
}

const JSON_HEADERS = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

const MODERN = "2026-07-28";
export const LEGACY = "2025-11-25";

/** One HTTP request, with any headers and body, including invalid ones. */
export function send(url: string, raw: RawRequest = {}): Promise<RawAnswer> {
  const { method = "POST", headers = {}, body, signal, onText = () => {}, agent = false } = raw;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent, headers: { ...JSON_HEADERS, ...headers }, ...(signal ? { signal } : {}) },
      (incoming) => void readAnswer(incoming, onText).then(resolve, reject),
    );
    outgoing.once("error", reject);
    outgoing.end(bytesOf(body));
  });
}

/** A modern request, which carries its whole context. */
export function modernRequest(
  id: number | string,
  method: string,
  params: { readonly [member: string]: unknown } = {},
): Required<Pick<RawRequest, "headers" | "body">> {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    ...(params["_meta"] as object | undefined),
  };
  const name = params["name"];
  return {
    headers: {
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
    },
    body: { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } },
  };
}

/** Opens a legacy session and returns its id. */
export async function openSession(url: string, headers: RawRequest["headers"] = {}): Promise<string> {
  const answer = await initialize(url, headers);
  const session = answer.headers["mcp-session-id"];
  if (typeof session !== "string") throw new Error(`no session: ${answer.status} ${answer.text}`);
  const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
  await send(url, { headers: { ...headers, ...inSession(session) }, body: ready });
  return session;
}

export function initialize(
  url: string,
  headers: RawRequest["headers"] = {},
  capabilities: object = {},
): Promise<RawAnswer> {
  const params = {
    protocolVersion: LEGACY,
    capabilities,
    clientInfo: { name: "raw", version: "1.0.0" },
  };
  return send(url, { headers, body: { jsonrpc: "2.0", id: 0, method: "initialize", params } });
}

export function inSession(session: string): { readonly [name: string]: string } {
  return { "mcp-session-id": session, "mcp-protocol-version": LEGACY };
}

/** A legacy tool call. */
export function legacyCall(id: number, name: string, args: unknown = {}, meta?: object): object {
  const params = { name, arguments: args, ...(meta ? { _meta: meta } : {}) };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

/** The text of a tool's answer. */
export function textOf(answer: RawAnswer): string | undefined {
  const result = answer.messages.find((message) => message.result)?.result;
  return (result?.["content"] as { readonly text?: string }[] | undefined)?.[0]?.text;
}

/** The error of an answer. */
export function errorOf(answer: RawAnswer): RawMessage["error"] {
  return answer.messages.find((message) => message.error)?.error;
}

async function readAnswer(incoming: IncomingMessage, onText: (text: string) => void): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    onText(chunk.toString("utf8"));
  }
  const text = Buffer.concat(chunks).toString("utf8");
  const { statusCode: status = 0, headers } = incoming;
  return { status, headers, text, messages: messagesIn(text, headers["content-type"] ?? "") };
}

function messagesIn(text: string, type: string): RawMessage[] {
  if (type.startsWith("application/json") && text !== "")
    return [JSON.parse(text) as unknown].flat() as RawMessage[];
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as RawMessage);
}

function bytesOf(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body;
  return JSON.stringify(body);
}
