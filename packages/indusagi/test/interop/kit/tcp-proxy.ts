import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";

/** What the proxy does to one connection. Nothing given: it only carries on. */
interface ProxyFault {
  /** Each piece waits so long, on its way in either direction. */
  readonly delayMs?: number;
  /** Pieces are cut to at most so many bytes. */
  readonly sliceBytes?: number;
  /** After so many bytes of answers the connection ends in good order. */
  readonly cutAfter?: number;
  /** After so many bytes of answers the connection is reset. */
  readonly resetAfter?: number;
  /** After so many bytes of answers nothing comes any more, and nothing ends. */
  readonly limit?: number;
}

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** For connections made from now on; those that stand are not touched. */
  fault: ProxyFault;
  /** How many connections there have been. */
  readonly connections: number;
}

/** A bad network between a client and a server of this machine. What it does depends on the bytes alone, never on chance. */
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
