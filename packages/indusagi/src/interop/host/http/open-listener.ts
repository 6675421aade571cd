import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describeError, isLoopbackHost } from "../../../core/index.ts";
import { ProtocolFault, type ProviderHost } from "../../contract/index.ts";
import { createGate } from "../admit/admit-request.ts";
import { hostCoreOf } from "../create-provider-host.ts";
import { loadServerSdk } from "../server-sdk.ts";
import { HttpHandler } from "./http-handler.ts";
import {
  type HttpListener,
  type HttpListenerStats,
  type HttpServeOptions,
  resolveHttpLimits,
  withoutPrincipals,
} from "./http-options.ts";
import { ListenerRoutes } from "./listener-routes.ts";

/** Listens for clients of a host, both eras on one URL. Rejects with a `transport` fault if it cannot. */
export async function openListener(host: ProviderHost, options: HttpServeOptions): Promise<HttpListener> {
  const { host: given = "127.0.0.1", path = "/mcp" } = options;
  // As in a URL: `[::1]`.
  const address = given.replace(/^\[(.*)\]$/, "$1");
  if (!isLoopbackHost(address) && !options.verifier)
    throw new ProtocolFault(
      "transport",
      `refuses to listen on ${address} without a token verifier: anyone who can reach it could run these tools`,
    );
  const limits = resolveHttpLimits(options.verifier ? options.limits : withoutPrincipals(options.limits));
  const core = hostCoreOf(host);
  const sdk = await loadServerSdk();

  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
    keepAlive: true,
  });
  server.maxConnections = limits.connections;
  // Check all headers: by default Node drops those after the first 2000. Their size is limited anyway.
  server.maxHeadersCount = 0;
  const port = await listen(server, options.port, address);
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}${path}`;
  const report = (message: string): void => core.report(message);
  const routes = new ListenerRoutes({
    path,
    core,
    routes: options.routes,
    sdk,
    limits,
    sessionsHint: options.sessionsHint,
    elsewhere: options.elsewhere,
  });
  const handler = new HttpHandler({
    limits,
    routes,
    gate: createGate(options, {
      audience: options.audience ?? url,
      sdk,
      recheckMs: limits.recheckMs,
      report,
    }),
    report,
    pages: options.pages,
    site: options.site,
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    handler.serve(request, response);
  });
  const stats = (): HttpListenerStats => ({ sessions: routes.sessions.size, ...handler.stats() });
  return { url, port, stats, close: () => closeListener(server, handler, routes, limits.drainMs) };
}

function listen(server: Server, port: number, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const message = `cannot listen on ${address}:${port}: ${describeError(cause)}`;
      reject(new ProtocolFault("transport", message, { cause }));
    });
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

async function closeListener(
  server: Server,
  handler: HttpHandler,
  routes: ListenerRoutes,
  drainMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  await handler.drain(drainMs);
  await routes.close();
  server.closeAllConnections();
  await closed;
}
