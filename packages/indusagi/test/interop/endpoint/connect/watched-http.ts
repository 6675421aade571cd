import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RpcMessage } from "indusagi/interop";
import { createServer, type ScriptedServerOptions } from "../../../../../../test/servers/server.mjs";

type Mutable<Options> = { -readonly [Name in keyof Options]: Options[Name] };

/** A server behind Streamable HTTP that answers everything as a stream. Its streams can be counted and cut. */
export interface WatchedHttp extends AsyncDisposable {
  readonly url: string;
  /** The behaviour of the server; a change applies from the next answer on. */
  readonly scripted: Mutable<ScriptedServerOptions>;
  /** Each method that was requested or notified. */
  readonly asked: string[];
  /** Open streams of this method. */
  open(method: string): number;
  tell(method: string, message: RpcMessage): void;
  cut(method: string): void;
  /** From now on this method is refused with this status. */
  readonly refused: Map<string, number>;
}

export async function watchedHttp(era: "legacy" | "modern"): Promise<WatchedHttp> {
  const streams = new Map<ServerResponse, string>();
  const http = createHttpServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const of = (method: string): ServerResponse[] =>
    [...streams].flatMap(([response, opener]) => (opener === method ? [response] : []));
  const watched: WatchedHttp = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    scripted: { era },
    asked: [],
    refused: new Map(),
    open: (method) => of(method).length,
    tell: (method, message) => {
      for (const response of of(method)) writeEvent(response, message);
    },
    cut: (method) => {
      for (const response of of(method)) response.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET" && era === "legacy") return openNotices(response);
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = (await bodyOf(request)) as RpcMessage;
    const { id, method = "answer" } = message;
    watched.asked.push(method);
    const status = watched.refused.get(method);
    if (status !== undefined) return void response.writeHead(status).end();
    if (id === undefined || method === "answer") return void response.writeHead(202).end();
    streams.set(response, method);
    response.once("close", () => streams.delete(response));
    const session = method === "initialize" ? { "mcp-session-id": "session-1" } : {};
    response.writeHead(200, { "content-type": "text/event-stream", ...session });
    if (!isHeld(message)) response.flushHeaders();
    const receive = createServer((reply: RpcMessage) => {
      writeEvent(response, reply);
      if (reply.id === id && reply.method === undefined) response.end();
    }, watched.scripted);
    receive(message);
  }

  function openNotices(response: ServerResponse): void {
    watched.asked.push("GET");
    const status = watched.refused.get("GET");
    if (status !== undefined) return void response.writeHead(status).end();
    streams.set(response, "GET");
    response.once("close", () => streams.delete(response));
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  }
  return watched;
}

function writeEvent(response: ServerResponse, message: RpcMessage): void {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** With this argument a call gets no headers before its answer. */
function isHeld({ params }: RpcMessage): boolean {
  return (params?.["arguments"] as { readonly hold?: boolean } | undefined)?.hold === true;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body);
}
