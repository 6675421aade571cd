import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";

export interface Loopback extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:port`, for `allowHosts`. */
  readonly host: string;
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** The request lines received, in order. */
  readonly requests: readonly string[];
  /** How many connections were made. */
  readonly connects: number;
  /** How many of them are still open. */
  readonly open: number;
  readonly server: Server;
}

/** An HTTP server on loopback. */
export async function serve(answer: RequestListener): Promise<Loopback> {
  const requests: string[] = [];
  let connects = 0;
  let open = 0;
  const server = createHttpServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    // Many of these tests are about clients that disconnect during a response.
    response.on("error", () => undefined);
    answer(request, response);
  });
  server.on("connection", (socket) => {
    connects++;
    open++;
    socket.on("error", () => undefined);
    socket.on("close", () => open--);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    requests,
    server,
    get connects() {
      return connects;
    },
    get open() {
      return open;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** A page with these headers and this body. */
export async function servePage(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Loopback> {
  return serve((_request: IncomingMessage, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(body);
  });
}

/** A listener on every local address that only counts connections. */
export async function trap(): Promise<
  { readonly port: number; readonly connects: number } & AsyncDisposable
> {
  let connects = 0;
  const server = createTcpServer((socket) => {
    connects++;
    socket.on("error", () => undefined);
    socket.destroy();
  });
  server.listen(0);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get connects() {
      return connects;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

/** Resolves when `test` holds. */
export async function until(test: () => boolean): Promise<void> {
  for (let round = 0; round < 500 && !test(); round++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  if (!test()) throw new Error("what was waited for did not happen within 5 s");
}
