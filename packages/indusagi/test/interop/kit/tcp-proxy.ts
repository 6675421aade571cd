import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

/** What the proxy does to one connection. Empty: it only forwards. */
interface ProxyFault {
  /** Delay of each piece, in both directions. */
  readonly delayMs?: number;
  /** Maximum bytes per piece. */
  readonly sliceBytes?: number;
  /** After this many bytes of answers the connection ends normally. */
  readonly cutAfter?: number;
  /** After this many bytes of answers the connection is reset. */
  readonly resetAfter?: number;
  /** After this many bytes of answers nothing more is sent, and the connection stays open. */
  readonly limit?: number;
}

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** For new connections; open ones are not changed. */
  fault: ProxyFault;
  /** Number of connections so far. */
  readonly connections: number;
}

/** A bad network between a client and a server on this machine. It depends only on the bytes, never on chance. */
export async function startTcpProxy(target: { readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    return socket.on("close", () => sockets.delete(socket));
  };
  const proxy = { fault: {} as ProxyFault, connections: 0 };
  const server = createServer((client) => {
    proxy.connections++;
    const { fault } = proxy;
    keep(client);
    const upstream = keep(dial(target.port, "127.0.0.1"));
    carry(client, upstream, { ...(fault.delayMs ? { delayMs: fault.delayMs } : {}) });
    carry(upstream, client, fault);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return Object.assign(proxy, {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  });
}

function carry(from: Socket, to: Socket, fault: ProxyFault): void {
  const { delayMs = 0, sliceBytes = Number.POSITIVE_INFINITY } = fault;
  let queue = Promise.resolve();
  let bytes = 0;
  const after = (limit: number | undefined): boolean => limit !== undefined && bytes >= limit;
  const pass = (piece: Buffer): void => {
    if (after(fault.limit) || to.destroyed) return;
    const room =
      Math.min(...[fault.limit, fault.cutAfter, fault.resetAfter].map((end) => end ?? Infinity)) - bytes;
    const part = piece.subarray(0, Math.max(0, Math.min(piece.length, room)));
    bytes += part.length;
    if (part.length > 0) to.write(part);
    if (after(fault.resetAfter)) for (const socket of [to, from]) socket.resetAndDestroy();
    else if (after(fault.cutAfter)) for (const socket of [to, from]) socket.end().destroySoon();
  };
  from.on("data", (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; at += sliceBytes) {
      const piece = chunk.subarray(at, Math.min(chunk.length, at + sliceBytes));
      queue = queue
        .then(() => (delayMs > 0 || sliceBytes < chunk.length ? pause(delayMs) : undefined))
        .then(() => pass(piece));
    }
  });
  from.on("end", () => void queue.then(() => (fault.limit === undefined ? to.end() : undefined)));
  from.on("close", () => void queue.then(() => (fault.limit === undefined ? to.destroy() : undefined)));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => (ms > 0 ? void setTimeout(resolve, ms) : void setImmediate(resolve)));
}
