import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { describeError, settlesWithin, shortenText } from "../../../core/index.ts";
import { RpcCode } from "../../wire/index.ts";
import { type Admission, type Admitted, type Gate, pathOf, refuseRepeated } from "../admit/admit-request.ts";
import { Allowances } from "../admit/allowances.ts";
import { readMessage } from "../admit/read-message.ts";
import { type Refusal, refuse } from "../admit/refusal.ts";
import { hasMethod } from "../stream/session-message.ts";
import type { HttpLimits, HttpListenerStats, HttpPage, HttpServeOptions } from "./http-options.ts";
import type { ListenerRoutes } from "./listener-routes.ts";
import type { EraRouter } from "./route-eras.ts";

interface HttpHandlerOptions {
  readonly limits: HttpLimits;
  readonly gate: Gate;
  readonly routes: ListenerRoutes;
  readonly pages: HttpServeOptions["pages"] | undefined;
  readonly site: HttpServeOptions["site"] | undefined;
  readonly report: (message: string) => void;
}

const METHODS = "GET, POST, DELETE, OPTIONS";
const ANONYMOUS = "";
/** At most this many routes, and this much of a path, in one message. */
const MAX_NAMED = 50;
const MAX_PATH_CHARS = 200;

/** Handles one HTTP request: admits, reads, counts and answers it. */
export class HttpHandler {
  readonly #options: HttpHandlerOptions;
  readonly #streams: Allowances;
  readonly #requests: Allowances;
  #isDraining = false;

  constructor(options: HttpHandlerOptions) {
    this.#options = options;
    this.#streams = new Allowances(options.limits.streamsPerPrincipal);
    this.#requests = new Allowances(options.limits.requestsPerPrincipal);
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    if (response.socket) return this.#serveNext(request, response);
    void isNextOnConnection(request, response).then((isNext) => isNext && this.#serveNext(request, response));
  }

  /** Goes on without a promise where nothing has to be waited for: this runs for each call. */
  #serveNext(request: IncomingMessage, response: ServerResponse): void {
    const exchange: Exchange = {
      request,
      response,
      done: (refusal) => {
        if (refusal) refuse(response, refusal);
      },
      failed: (thrown) => {
        // Not reported if the client disconnected while its request was read.
        if (!request.destroyed || !response.destroyed) this.#options.report(describeError(thrown));
        refuse(response, { status: 500, code: RpcCode.INTERNAL_ERROR, message: "Internal error" });
      },
    };
    settle(exchange, () => this.#handle(exchange));
  }

  stats(): Omit<HttpListenerStats, "sessions"> {
    return { requests: this.#requests.total, streams: this.#streams.total };
  }

  /** Accepts no more requests and waits for running ones, but not for streams that only carry notifications. */
  async drain(ms: number): Promise<void> {
    this.#isDraining = true;
    const done = Promise.all([this.#requests.settled(), this.#options.routes.sessions.settled()]);
    await settlesWithin(done, ms);
  }

  #handle(exchange: Exchange): MaybeRefusal {
    const { request, response } = exchange;
    const { gate, pages, site } = this.#options;
    const repeated = refuseRepeated(request);
    if (repeated) return repeated;
    const page = pageAsked(request, pages);
    if (page) return servePage(request, response, { page, gate });
    if (site?.has(request.url ?? "/"))
      return gate.refuseHost(request) ?? served(site.serve(request, response));
    const { origin } = request.headers;
    if (origin !== undefined && gate.allowsOrigin(origin)) {
      allowOrigin(response, origin, request.headers["access-control-request-headers"]);
      if (request.method === "OPTIONS") return void response.writeHead(204).end();
    }
    const admitting = gate.admit(request);
    if (!(admitting instanceof Promise)) return this.#admitted(exchange, admitting);
    return admitting.then((admitted) => this.#admitted(exchange, admitted));
  }

  #admitted(exchange: Exchange, admitted: Admitted): MaybeRefusal {
    if ("refusal" in admitted) return admitted.refusal;
    const { request } = exchange;
    if (this.#isDraining)
      return {
        status: 503,
        code: RpcCode.REFUSED,
        message: "Service Unavailable: shutting down",
        headers: { connection: "close" },
      };
    const router = this.#options.routes.find(admitted.path, admitted.token?.principal);
    if (!router) return this.#unknownRoute(admitted);
    const { method } = request;
    if (method !== "POST" && method !== "GET" && method !== "DELETE")
      return {
        status: 405,
        code: RpcCode.REFUSED,
        message: "Method not allowed.",
        headers: { allow: METHODS },
      };
    const routed = { admission: admitted, router };
    if (method !== "POST") return this.#answer(exchange, routed, undefined);
    readMessage(request, this.#options.limits, {
      onRead: (read) =>
        settle(exchange, () =>
          "refusal" in read ? read.refusal : this.#answer(exchange, routed, read.body),
        ),
      onError: exchange.failed,
    });
    return undefined;
  }

  /** Names the routes that the client may use: most wrong ones are typos. */
  #unknownRoute({ path, token }: Admission): Refusal {
    const routes = this.#options.routes.paths(token?.principal);
    const named = routes.slice(0, MAX_NAMED).join(", ");
    const rest = routes.length > MAX_NAMED ? ` and ${routes.length - MAX_NAMED} more` : "";
    const message = `Not Found: ${shortenText(path, MAX_PATH_CHARS)} is not a route here; the routes are ${named}${rest}`;
    return { status: 404, code: RpcCode.REFUSED, message, data: { routes } };
  }

  #answer(
    { request, response }: Exchange,
    { admission, router }: RoutedRequest,
    body: unknown,
  ): MaybeRefusal {
    // If the client disconnected while its token was checked, no close event follows, and its slot would never be
    // freed.
    if (response.destroyed) return undefined;
    const { token } = admission;
    const principal = token?.principal ?? ANONYMOUS;
    const isStream = request.method === "GET" || hasMethod(body, "subscriptions/listen");
    const giveBack = (isStream ? this.#streams : this.#requests).take(principal);
    if (!giveBack)
      return {
        status: 429,
        code: RpcCode.REFUSED,
        message: `Too Many Requests: too many ${isStream ? "streams" : "requests"} are open`,
        headers: { "retry-after": "1" },
      };
    const live = admission.follow?.();
    const letGo = live?.hold();
    // `on`: it comes once, and `once` costs a wrapper.
    response.on("close", () => (giveBack(), letGo?.()));
    return router.serve({
      incoming: request,
      outgoing: response,
      body,
      token,
      live,
      principal: token?.principal,
    });
  }
}

/** One request, and what ends it. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly done: (refusal: Refusal | undefined) => void;
  readonly failed: (thrown: unknown) => void;
}

/** A refusal, or undefined if the request is answered by others; now or later. */
type MaybeRefusal = Refusal | undefined | Promise<Refusal | undefined>;

/** Takes the next step of a request. */
function settle({ done, failed }: Exchange, step: () => MaybeRefusal): void {
  try {
    const refusal = step();
    if (refusal instanceof Promise) refusal.then(done, failed);
    else done(refusal);
  } catch (thrown) {
    failed(thrown);
  }
}

/** A request that may be served, and the host that serves it. */
interface RoutedRequest {
  readonly admission: Admission;
  readonly router: EraRouter;
}

/** The site has answered. */
function served(answering: Promise<void> | void): MaybeRefusal {
  return answering?.then(() => undefined);
}

/** The page that a request asks for, if any. */
function pageAsked(request: IncomingMessage, pages: HttpServeOptions["pages"]): HttpPage | undefined {
  if (!pages) return undefined;
  const { url = "/" } = request;
  // Most requests are for the endpoint: parsing a URL costs more than this check.
  const path = url.includes("?") ? pathOf(url) : url;
  return path !== undefined && Object.hasOwn(pages, path) ? pages[path] : undefined;
}

/** Answers a request for a page, or returns why it is refused. */
async function servePage(
  request: IncomingMessage,
  response: ServerResponse,
  { page, gate }: { readonly page: HttpPage; readonly gate: Gate },
): Promise<Refusal | undefined> {
  request.resume(); // A body has no meaning here.
  const refusal = await gate.refusePage(request, page);
  if (refusal) return refusal;
  if (request.method !== "GET" && request.method !== "HEAD")
    return {
      status: 405,
      code: RpcCode.REFUSED,
      message: "Method not allowed.",
      headers: { allow: "GET, HEAD" },
    };
  const { status, type, body } = await page.answer();
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  response.end(request.method === "HEAD" ? undefined : body);
  return undefined;
}

/** An allowed page may send any header: which headers repeat arguments depends on the tools. */
function allowOrigin(response: ServerResponse, origin: string, wanted: string | undefined): void {
  response.setHeader("access-control-allow-origin", origin);
  response.setHeader("vary", "origin");
  response.setHeader("access-control-allow-methods", METHODS);
  if (wanted !== undefined) response.setHeader("access-control-allow-headers", wanted);
  response.setHeader("access-control-expose-headers", "mcp-session-id, www-authenticate");
}

/** Requests that may wait on one connection. MCP clients do not pipeline. */
const MAX_WAITING = 8;

const waiting = new WeakMap<Socket, number>();

/**
 * Waits until a pipelined request is next on its connection. Before that, a disconnect of its client cannot be seen,
 * and its slot would never be freed. False if the connection ended first.
 */
async function isNextOnConnection({ socket }: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const before = waiting.get(socket) ?? 0;
  if (before >= MAX_WAITING) socket.destroy();
  if (socket.destroyed) return false;
  waiting.set(socket, before + 1);
  const isOurs = await new Promise<boolean>((resolve) => {
    const gone = (): void => resolve(false);
    socket.once("close", gone);
    response.once("socket", () => {
      socket.off("close", gone);
      resolve(true);
    });
  });
  waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
  return isOurs;
}
