import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { modernRequest, send } from "../packages/indusagi/test/interop/host/http/raw-http.ts";
import { Cluster, loopback } from "./set-up.ts";

/** A load balancer in front of gateways. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Gives a gateway no new requests, or gives it some again. As Kubernetes does before it ends a pod. */
  use(url: string, isUsed: boolean): void;
}

const PROBE_MS = 250;

/**
 * Takes the gateways in turn, as the Service of Kubernetes does: one whose `/readyz` says no gets no new requests, and one that
 * refuses the connection is passed over. A request that has reached a gateway is never sent to another one.
 */
export async function startBalancer(urls: readonly string[]): Promise<Balancer> {
  const targets = urls.map((url) => ({ url: new URL(url), isReady: true, isUsed: true }));
  let next = 0;
  const probe = setInterval(() => {
    for (const target of targets)
      void fetch(new URL("/readyz", target.url), { signal: AbortSignal.timeout(PROBE_MS * 4) })
        .then(({ ok }) => ok)
        .catch(() => false)
        .then((isReady) => (target.isReady = isReady));
  }, PROBE_MS);
  const pass = (incoming: IncomingMessage, body: Buffer, response: ServerResponse, tried: number): void => {
    const ready = targets.filter(({ isReady, isUsed }) => isReady && isUsed);
    const among = ready.length > 0 ? ready : targets;
    const target = among[next++ % among.length];
    if (!target || tried > targets.length * 2) {
      response.writeHead(503).end("no gateway is ready");
      return;
    }
    const { method, url = "", headers } = incoming;
    const outgoing = request(new URL(url, target.url), { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.once("error", () => response.destroy());
    });
    outgoing.once("error", (thrown: NodeJS.ErrnoException) => {
      if (thrown.code === "ECONNREFUSED" && !response.headersSent) {
        target.isReady = false;
        pass(incoming, body, response, tried + 1);
      } else response.destroy();
    });
    response.once("close", () => outgoing.destroy());
    outgoing.end(body);
  };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.once("end", () => pass(incoming, Buffer.concat(chunks), response, 0));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const path = new URL(urls[0] ?? "http://127.0.0.1/mcp").pathname;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    use: (url, isUsed) => {
      for (const target of targets) if (target.url.href === new URL(url).href) target.isUsed = isUsed;
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(probe);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What answers at one address: two gateways and two workers over one NATS server, behind a load balancer. */
export interface BalancedCluster extends AsyncDisposable {
  readonly url: string;
}

/** Starts one with these servers, by id. Clients need no token. */
export async function startBalancedCluster(rows: {
  readonly [id: string]: object;
}): Promise<BalancedCluster> {
  const cluster = await Cluster.start({ servers: [], rows, places: loopback(1), isOpen: true });
  try {
    const workers = ["w1", "w2"].map((name) => cluster.worker(name));
    const gateways = await Promise.all(["g1", "g2"].map((name) => cluster.gateway(name)));
    await Promise.all(workers);
    // A gateway answers a list when it knows what its servers offer.
    await Promise.all(gateways.map(({ url }) => send(url, modernRequest(1, "tools/list"))));
    const balancer = await startBalancer(gateways.map(({ url }) => url));
    return {
      url: balancer.url,
      [Symbol.asyncDispose]: async () => {
        await balancer[Symbol.asyncDispose]();
        await cluster[Symbol.asyncDispose]();
      },
    };
  } catch (thrown) {
    await cluster[Symbol.asyncDispose]();
    throw thrown;
  }
}
