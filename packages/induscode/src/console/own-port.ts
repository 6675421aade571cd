import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isLoopbackHost } from "indusagi/core";
import { hostNameOf } from "./guard.ts";
import { type ConsoleOptions, ConsoleSite } from "./site.ts";

/** A console at a port of its own, with nothing else next to it. */
export interface OwnPort {
  /** Names it in links. */
  readonly id: string;
  /** The address of its page. */
  readonly url: string;
  /** Whether it has closed. */
  readonly isClosed: boolean;
  /** Somebody wants a link: it stays open at least until the link is too old. */
  keep(): void;
  close(): void;
}

interface OwnPortOptions extends Omit<ConsoleOptions, "id"> {
  /** It closes when nobody has looked for this long. */
  readonly idleMs: number;
}

const CONNECTIONS = 256;
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;

/** Opens a port of localhost for a console, until nobody uses it any more. Other machines cannot reach it. */
export async function openOwnPort({ idleMs, ...options }: OwnPortOptions): Promise<OwnPort> {
  const id = randomBytes(12).toString("hex");
  const site = new ConsoleSite({ ...options, id });
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    (request, response) => {
      // A page of somebody else may have a name that leads to this address.
      if (isLoopbackHost(hostNameOf(request.headers) ?? "")) void site.serve(request, response);
      else response.writeHead(403).end();
    },
  );
  server.maxConnections = CONNECTIONS;
  const port = await listen(server);
  let [keptMs, isClosed] = [Date.now(), false];
  const close = (): void => {
    isClosed = true;
    clearInterval(timer);
    site.close();
    server.close();
    server.closeAllConnections();
  };
  const timer = setInterval(() => {
    if (Date.now() - keptMs > idleMs && !site.isUsed(idleMs)) close();
  }, idleMs / 4).unref();
  options.signal.addEventListener("abort", close, { once: true });
  return {
    id,
    url: `http://127.0.0.1:${port}/`,
    get isClosed() {
      return isClosed;
    },
    keep: () => void (keptMs = Date.now()),
    close,
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
