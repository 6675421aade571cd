import { createServer, request } from "node:http";
import { type AddressInfo, connect, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** A proxy on loopback. Every host name leads to the same port. */
export interface LoopbackProxy extends AsyncDisposable {
  readonly port: number;
  /** Every request so far: `CONNECT host:port` or `METHOD url`. */
  readonly seen: readonly string[];
}

export async function startProxy(
  targetPort: number,
  { status = 200 }: { readonly status?: number } = {},
): Promise<LoopbackProxy> {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    const { pathname } = new URL(incoming.url ?? "");
    const { method, headers } = incoming;
    const onward = request(
      { port: targetPort, host: "127.0.0.1", path: pathname, method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  server.on("connect", (incoming, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url}`);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    join(socket, connect(targetPort, "127.0.0.1"));
  });
  return Object.assign(await listening(server), { seen });
}

/** Accepts TLS and passes the bytes on to a plain port. */
export async function startTls(
  targetPort: number,
  { key, cert }: { readonly key: string; readonly cert: string },
): Promise<{ readonly port: number } & AsyncDisposable> {
  return listening(
    createTlsServer({ key, cert }, (socket) => join(socket, connect(targetPort, "127.0.0.1"))),
  );
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const socket of [one, other]) socket.on("error", () => {});
  one.on("close", () => other.destroy());
  other.on("close", () => one.destroy());
}

async function listening(server: Server): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    return closed;
  };
  return { port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: close };
}
