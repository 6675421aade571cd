import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RpcMessage } from "indusagi/interop";
import { createServer } from "../../../../../../test/servers/server.mjs";

/** A server behind the older HTTP transport whose streams can be cut and whose messages can be refused. */
export interface SseServer extends AsyncDisposable {
  readonly url: string;
  /** Each requested method, refused or not. */
  readonly asked: string[];
  /** How many streams were opened. */
  readonly streams: number;
  refuse: (message: RpcMessage) => { readonly status: number; readonly body?: string } | undefined;
  /** The status with which new streams are refused. */
  refuseStreams: number | undefined;
  /** Ends each stream, normally or by destroying it. */
  cut(how?: "end" | "destroy"): void;
}

export interface SseServerOptions {
  /** The delay before a client reconnects after a lost stream. */
  readonly retryMs?: number;
  /** Answers and progress repeat the ids of the client as text. */
  readonly textIds?: boolean;
}

export async function sseServer({ retryMs, textIds = false }: SseServerOptions = {}): Promise<SseServer> {
  const sessions = new Map<string, { receive: (message: unknown) => void; stream: ServerResponse }>();
  let streams = 0;
  const http = createHttpServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const server: SseServer = {
    url: `http://127.0.0.1:${port}/sse`,
    asked: [],
    get streams() {
      return streams;
    },
    refuse: () => undefined,
    refuseStreams: undefined,
    cut: (how = "end") => {
      for (const { stream } of sessions.values()) stream[how]();
      sessions.clear();
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false; // A kept connection would end in the middle of the next request.
    if (request.method !== "GET") return post(request, response);
    if (server.refuseStreams !== undefined) return void response.writeHead(server.refuseStreams).end();
    const id = String(++streams);
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (retryMs !== undefined) response.write(`retry: ${retryMs}\n\n`);
    response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
    const send = (message: RpcMessage): void =>
      void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    sessions.set(id, { receive: createServer(send, { era: "legacy", textIds }), stream: response });
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const message = JSON.parse(body) as RpcMessage;
    if (message.method !== undefined) server.asked.push(message.method);
    const refusal = server.refuse(message);
    if (refusal) return void response.writeHead(refusal.status).end(refusal.body ?? "refused");
    const session = sessions.get(new URL(request.url ?? "", server.url).searchParams.get("session") ?? "");
    if (!session) return void response.writeHead(404).end("Could not find session");
    response.writeHead(202).end("Accepted");
    session.receive(message);
  }
  return server;
}
