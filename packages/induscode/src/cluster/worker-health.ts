import { once } from "node:events";
import { createServer } from "node:http";
import { describeError } from "indusagi/core";
import { ClusterError } from "./cluster-error.ts";

/** Where a worker answers `/healthz` and `/readyz`. */
export interface HealthPlace {
  readonly host: string;
  readonly port: number;
}

/** For orchestrators, which have no token. Neither page names a server. */
export async function serveHealth(
  { host, port }: HealthPlace,
  isReady: () => boolean,
): Promise<AsyncDisposable> {
  const server = createServer((request, response) => {
    const isGood = request.url === "/healthz" || (request.url === "/readyz" && isReady());
    const isKnown = isGood || request.url === "/readyz";
    const status = isGood ? "ok" : isKnown ? "it takes no servers now" : "there is no such page";
    response.writeHead(isGood ? 200 : isKnown ? 503 : 404, { "content-type": "application/json" });
    response.end(`${JSON.stringify({ status })}\n`);
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw new ClusterError("invalid", `--health: cannot listen on ${host}:${port}: ${describeError(cause)}`, {
      cause,
    });
  }
  server.unref();
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
