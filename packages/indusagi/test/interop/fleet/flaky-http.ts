import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { RpcMessage } from "indusagi/interop";
import { createServer } from "../../../../../test/servers/server.mjs";

/**
 * The answer to a request that is not run. `cut` runs the request, begins a stream and breaks it off. `hang` never answers,
 * also not a notification.
 */
export type Refusal =
  | { readonly status: number; readonly body?: string; readonly retryAfter?: string }
  | "cut"
  | "hang";

/** A server behind Streamable HTTP that refuses requests as the test asks and records the calls it ran. */
export interface FlakyHttp extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The method of every request, refused or not. */
  readonly asked: string[];
  /** The text of every call that ran. */
  readonly ran: string[];
  refuse: (message: RpcMessage) => Refusal | undefined;
  forgetSessions(): void;
}

export async function flakyHttp(era: "legacy" | "modern", port = 0): Promise<FlakyHttp> {
  const sessions = new Set<string>();
  const http = createHttpServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(port, "127.0.0.1", resolve));
  const { port: listening } = http.address() as AddressInfo;
  const flaky: FlakyHttp = {
    url: `http://127.0.0.1:${listening}/mcp`,
    port: listening,
    asked: [],
    ran: [],
    refuse: () => undefined,
    forgetSessions: () => sessions.clear(),
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.shouldKeepAlive = false; // A connection that is kept alive could end in the middle of the next request.
    if (request.method !== "POST") return void response.writeHead(405).end();
    const message = (await bodyOf(request)) as RpcMessage;
    const refusal = flaky.refuse(message);
    if (refusal === "hang") return;
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    flaky.asked.push(message.method);
    const session = request.headers["mcp-session-id"] as string | undefined;
    if (refusal && refusal !== "cut") return refuseWith(response, refusal);
    if (session && !sessions.has(session)) return void response.writeHead(404).end("Session not found");
    const head: Record<string, string> = { "content-type": "application/json" };
    if (message.method === "initialize") {
      head["mcp-session-id"] = `session-${flaky.asked.length}`;
      sessions.add(head["mcp-session-id"]);
    }
    if (message.method === "tools/call") flaky.ran.push(callText(message));
    if (refusal === "cut") return cut(response);
    const receive = createServer(
      (reply: RpcMessage) => {
        if (reply.id === message.id && reply.method === undefined)
          response.writeHead(200, head).end(JSON.stringify(reply));
      },
      { era },
    );
    receive(message);
  }
  return flaky;
}

function refuseWith(response: ServerResponse, { status, body, retryAfter }: Exclude<Refusal, string>): void {
  const head = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  response.writeHead(status, head).end(body ?? "refused");
}

function cut(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("event: message\ndata: {", () => response.destroy());
}

function callText({ params }: RpcMessage): string {
  return (params?.["arguments"] as { readonly text?: string } | undefined)?.text ?? "";
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return JSON.parse(body);
}
