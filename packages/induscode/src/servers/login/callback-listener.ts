import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { CoreError, errorCode } from "indusagi/core";

export interface CallbackOptions {
  /** A name for localhost. Default `127.0.0.1`. */
  readonly host?: string | undefined;
  /** The port that must be used. */
  readonly port?: number | undefined;
  /** A port to use if it is free, because the client is registered with it. */
  readonly preferredPort?: number | undefined;
}

/** Receives the redirect from an authorization server on localhost. */
export interface CallbackListener extends AsyncDisposable {
  readonly redirectUrl: string;
  /** The parameters of the first answer with this `state`. Rejects when the signal aborts. */
  answerFor(state: string, signal: AbortSignal): Promise<URLSearchParams>;
}

/** Never changes: authorization servers compare the whole redirect URL. */
const PATH = "/callback";

/** Listens on localhost only. Rejects if the port that must be used is taken. */
export async function openCallbackListener(options: CallbackOptions = {}): Promise<CallbackListener> {
  const { port, preferredPort } = options;
  const [{ createServer }, { isIP }] = await Promise.all([import("node:http"), import("node:net")]);
  const bare = (options.host ?? "127.0.0.1").replaceAll(/^\[|\]$/g, "");
  // Browsers try all addresses of a name, and every machine has this one.
  const address = isIP(bare) === 0 ? "127.0.0.1" : bare;
  const host = isIP(bare) === 6 ? `[${bare}]` : bare;
  const waiting = new Map<string, (answer: URLSearchParams) => void>();
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, (request, response) => {
    respond({ request, response, waiting, authority: `${host}:${portOf(server)}` });
  });
  await listen(server, address, { port, preferredPort });
  const redirectUrl = `http://${host}:${portOf(server)}${PATH}`;
  return {
    redirectUrl,
    answerFor: (state, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting.delete(state);
          reject(signal.reason as Error);
        };
        if (signal.aborted) return stop();
        signal.addEventListener("abort", stop, { once: true });
        waiting.set(state, (answer) => {
          waiting.delete(state);
          signal.removeEventListener("abort", stop);
          resolve(answer);
        });
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listen(
  server: Server,
  address: string,
  { port, preferredPort }: CallbackOptions,
): Promise<void> {
  try {
    await listening(server, port ?? preferredPort ?? 0, address);
  } catch (thrown) {
    if (errorCode(thrown) !== "EADDRINUSE") throw thrown;
    if (port !== undefined)
      throw new CoreError(
        "port_taken",
        `port ${port} is in use; stop that program, or change "callbackPort" in the row`,
        { cause: thrown },
      );
    await listening(server, 0, address);
  }
}

async function listening(server: Server, port: number, address: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: address, exclusive: true }, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly waiting: ReadonlyMap<string, (answer: URLSearchParams) => void>;
  /** Host and port of the redirect URL. Requests under another host name are refused. */
  readonly authority: string;
}

function respond({ request, response, waiting, authority }: Incoming): void {
  const url = new URL(request.url ?? "/", `http://${authority}`);
  const hosts = request.headersDistinct["host"] ?? [];
  const isCallback =
    request.method === "GET" && url.pathname === PATH && hosts.length === 1 && hosts[0] === authority;
  // Without the state of a waiting login the request is not an answer, and the login keeps waiting.
  const deliver = isCallback ? waiting.get(url.searchParams.get("state") ?? "") : undefined;
  const isDenied = url.searchParams.has("error");
  const [status, words] = deliver
    ? [200, isDenied ? "The login was not completed." : "You are logged in."]
    : hosts.length > 1
      ? [400, "The request has more than one host name."]
      : [404, "There is nothing here."];
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    connection: "close",
  });
  const more = deliver ? "<p>You can close this window and return to the terminal.</p>" : "";
  response.end(`<!doctype html><title>Indus</title><h1>${words}</h1>${more}\n`, () =>
    deliver?.(url.searchParams),
  );
}
