import type { IncomingMessage, ServerResponse } from "node:http";
import { describeError } from "indusagi/core";
import type { HttpSite } from "indusagi/interop";
import { productVersion } from "../boot/internal.ts";
import { bearerToken, type GatewayTokens } from "../gateway/index.ts";
import { Apps, isForApps } from "./apps.ts";
import { type Asset, namedAsset, pageAsset } from "./assets.ts";
import { callsAnswer } from "./calls.ts";
import { changesAnswer, explained } from "./changes.ts";
import {
  CONSOLE_LIMITS,
  type ConsoleError,
  type ConsoleRoutes,
  type Done,
  type MadeLink,
  type OpenedSession,
  SESSION_HEADER,
  type ServerAction,
  type SessionInfo,
  type TokenShown,
  type TryRequest,
} from "./contract.ts";
import {
  ConsoleRefusal,
  isFromHere,
  PAGE_POLICY,
  refuseEmbedding,
  refuseOtherSites,
  refuseUnencrypted,
  SAFE_HEADERS,
} from "./guard.ts";
import { takeLink } from "./links.ts";
import { LiveEvents } from "./live.ts";
import { clientsOf, lastCalls, recentCalls } from "./overview.ts";
import {
  appRequest,
  callQuery,
  codeIn,
  connectRequest,
  decideRequest,
  eraIn,
  logsRequest,
  parseBody,
  rowRequest,
  tokenRequest,
  toolChangeIn,
  tryAnswer,
  tryRequest,
} from "./requests.ts";
import { serverDetail, serverLog } from "./server-detail.ts";
import { type ConsoleSession, ConsoleSessions } from "./sessions.ts";
import type { ConsoleSource, ConsoleSources, PlainObject } from "./source.ts";
import { Tries, tryOffer } from "./try.ts";
import {
  changeRow,
  checkRow,
  connectClient,
  decide,
  makeToken,
  previewConnect,
  RefusedChange,
  revokeToken,
  serverAction,
  toolChange,
} from "./user-changes.ts";

/** What a console needs besides its folders. */
export interface ConsoleOptions {
  readonly sources: ConsoleSources;
  /** The state folder with the local links. */
  readonly state: string;
  /** The id under which this gateway announced itself. */
  readonly id: string;
  /** The tokens that may open the console over the network. */
  readonly tokens: GatewayTokens | undefined;
  readonly report: (message: string) => void;
  /** Aborts at the end of the gateway. */
  readonly signal: AbortSignal;
  /** The built page. Default: that of this package. */
  readonly page?: URL | undefined;
}

/** One request of a session for the data of a folder. */
interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: ConsoleSession;
  readonly source: ConsoleSource;
  readonly live: LiveEvents;
  readonly query: URLSearchParams;
  /** The segment of the path that is a name. */
  readonly name: string;
  readonly body: () => Promise<PlainObject>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

interface ConsoleRoute<Answer extends object = object> {
  /** Only for a session from a local link, in a request from this machine: it may start programs. */
  readonly isLocal?: true;
  /** What is answered as JSON. Undefined: it has answered itself. */
  answer(asked: Asked): Promise<Answer | undefined> | Answer | undefined;
}

/** A route of the contract with `*` in the place of a name. */
type Shape<Route extends string> = Route extends `${infer Start}/${"ID" | "NAME"}/${infer End}`
  ? `${Start}/*/${End}`
  : Route extends `${infer Start}/${"ID" | "NAME"}`
    ? `${Start}/*`
    : Route;

/** Those that need no session, or are about it. */
type OwnRoute = `${string} /console/session` | `${string} /console/link`;

/** Every other route of the contract, with its answer. */
type RouteTable = {
  readonly [Route in Exclude<keyof ConsoleRoutes, OwnRoute> as Shape<Route>]: ConsoleRoute<
    ConsoleRoutes[Route]["answer"]
  >;
};

/** How soon the streams of a revoked token end. */
const RECHECK_MS = 2_000;

/** The console of a running gateway: its page, and the data of the page. */
export class ConsoleSite implements Pick<HttpSite, "serve"> {
  readonly #options: ConsoleOptions;
  readonly #sessions: ConsoleSessions;
  readonly #live = new Map<string, LiveEvents>();
  readonly #tries = new Tries();
  readonly #apps = new Apps();
  readonly #routes: RouteTable;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#sessions = new ConsoleSessions((id) => isAdmin(options.tokens, id));
    this.#routes = this.#routeTable();
    options.signal.addEventListener("abort", () => this.close(), { once: true });
  }

  close(): void {
    for (const live of this.#live.values()) live.close();
    this.#live.clear();
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
    try {
      await this.#answer(request, response);
    } catch (thrown) {
      refuse(response, thrown, this.#options.report);
    }
    request.resume(); // A body that nobody wants.
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET" } = request;
    const { pathname, searchParams } = targetOf(request);
    const isRead = method === "GET" || method === "HEAD";
    // The page names its icon itself.
    if (pathname === "/favicon.ico") return void response.writeHead(204).end();
    if (pathname === "/" || pathname.startsWith("/console/assets/")) {
      refuseEmbedding(request);
      if (!isRead) throw notAllowed();
      return sendAsset(request, response, this.#asset(pathname));
    }
    if (isRead && pathname.startsWith("/console/app/")) return this.#sendApp(request, response, pathname);
    response.setHeader("cache-control", "no-store");
    if (method === "POST" && pathname === "/console/link") return this.#makeLink(request, response);
    refuseUnencrypted(request);
    refuseOtherSites(request);
    if (method === "POST" && pathname === "/console/session") return this.#openSession(request, response);
    const key = String(request.headers[SESSION_HEADER] ?? "");
    const session = this.#sessions.find(key);
    if (!session)
      throw new ConsoleRefusal(
        401,
        "no_session",
        "there is no such session, or it has ended",
        "run indus console to open a new one",
      );
    if (pathname === "/console/session") {
      if (method === "DELETE") this.#sessions.end(key);
      else if (!isRead) throw notAllowed();
      return send(response, method === "DELETE" ? {} : this.#sessionInfo(session));
    }
    await this.#answerRoute({ request, response, session, method, pathname, query: searchParams });
  }

  async #answerRoute({
    method,
    pathname,
    query,
    ...asked
  }: Pick<Asked, "request" | "response" | "session" | "query"> & {
    readonly method: string;
    readonly pathname: string;
  }): Promise<void> {
    const found = matched(this.#routes, method, pathname);
    if (!found)
      throw new ConsoleRefusal(404, "not_found", `${method} ${pathname.slice(0, 200)} is not a route here`);
    const { route, name } = found;
    const { request, response, session } = asked;
    if (route.isLocal && (session.origin !== "local" || !isFromHere(request)))
      throw new ConsoleRefusal(
        403,
        "not_allowed",
        "this is only possible in a console that was opened on the gateway's own machine",
        "run indus console there",
      );
    const source = this.#source(query.get("folder"));
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the console ended the request")));
    const answer = await route.answer({
      ...asked,
      source,
      query,
      name,
      live: this.#liveOf(source),
      body: async () => parseBody(await readBody(request)),
      signal: gone.signal,
    });
    if (answer !== undefined) send(response, answer);
  }

  #source(folder: string | null): ConsoleSource {
    const sources = this.#options.sources.list();
    const found = folder === null ? sources[0] : sources.find((source) => source.folder.id === folder);
    if (!found) throw new ConsoleRefusal(404, "not_found", "there is no such folder here");
    return found;
  }

  #liveOf(source: ConsoleSource): LiveEvents {
    const { id } = source.folder;
    const live = this.#live.get(id) ?? new LiveEvents(source);
    this.#live.set(id, live);
    return live;
  }

  #asset(pathname: string): Asset {
    const { page } = this.#options;
    if (pathname === "/") {
      const asset = pageAsset(page);
      if (asset) return asset;
      throw new ConsoleRefusal(503, "failed", "the page of the console was not built", "run npm run build");
    }
    const asset = namedAsset(pathname.slice("/console/assets/".length), page);
    if (!asset) throw new ConsoleRefusal(404, "not_found", "there is no such file");
    return asset;
  }

  /** The page of an app, for its frame: a frame cannot send a header, so its address is the secret. */
  #sendApp(request: IncomingMessage, response: ServerResponse, pathname: string): void {
    refuseUnencrypted(request);
    const { "sec-fetch-site": site, "sec-fetch-dest": destination } = request.headers;
    const isOurFrame = (site ?? "same-origin") === "same-origin" && (destination ?? "iframe") === "iframe";
    const page = isOurFrame ? this.#apps.take(pathname.slice("/console/app/".length)) : undefined;
    if (!page) throw new ConsoleRefusal(404, "not_found", "this app was opened already, or is not ready");
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": page.csp,
    });
    response.end(page.html);
  }

  /** For `indus console --url`, which is no browser: a token of an administrator becomes a link. */
  #makeLink(request: IncomingMessage, response: ServerResponse): void {
    refuseUnencrypted(request);
    if (request.headers.origin !== undefined || request.headers["sec-fetch-site"] !== undefined)
      throw new ConsoleRefusal(403, "foreign", "only indus console makes links, not a page");
    const token = bearerToken(this.#options.tokens, request.headers.authorization);
    if (!token) throw new ConsoleRefusal(401, "not_allowed", "the token is not known here");
    if (token.admin !== true)
      throw new ConsoleRefusal(
        403,
        "not_allowed",
        `token ${token.name} may not open the console`,
        "make one that may: indus token add NAME --admin",
      );
    const link: MadeLink = { code: this.#sessions.link(token.id), expiresInMs: CONSOLE_LIMITS.linkMs };
    send(response, link);
  }

  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const code = codeIn(parseBody(await readBody(request)));
    const { state, id } = this.#options;
    const token = this.#sessions.take(code);
    const isLocal = token === undefined && isFromHere(request) && takeLink(state, id, code);
    if (token === undefined && !isLocal)
      throw new ConsoleRefusal(
        401,
        "bad_link",
        "the link was used already, is older than a minute, or is wrong",
        "run indus console to open a new one",
      );
    const origin = isLocal ? "local" : "remote";
    const key = this.#sessions.open(origin, token);
    if (key === undefined) throw new ConsoleRefusal(429, "too_many", "too many consoles are open");
    const opened: OpenedSession = { key, ...this.#sessionInfo({ origin }) };
    send(response, opened);
  }

  #sessionInfo({ origin }: Pick<ConsoleSession, "origin">): SessionInfo {
    const folders = this.#options.sources.list().map(({ folder }) => folder);
    return { origin, version: productVersion(), folders };
  }

  #routeTable(): RouteTable {
    const act = (action: ServerAction): ConsoleRoute<Done> => ({
      ...(action === "restart" ? {} : { isLocal: true as const }),
      answer: ({ source, name, signal }) => serverAction(source, name, action, signal),
    });
    return {
      "GET /console/snapshot": { answer: ({ live }) => live.snapshot() },
      "GET /console/stream": { answer: (asked) => this.#openStream(asked) },
      "POST /console/stream/logs": {
        answer: async ({ live, session, body }) => {
          const { stream, servers } = logsRequest(await body());
          if (!(await live.watchLogs(stream, session, servers)))
            throw new ConsoleRefusal(404, "not_found", "there is no such stream");
          return {};
        },
      },
      "GET /console/servers/*": {
        answer: async ({ source, name, live }) =>
          (await serverDetail(source, name, await live.measured())) ?? noServer(name),
      },
      "GET /console/servers/*/log": {
        answer: async ({ source, name, query }) => ({
          lines: await serverLog(source, name, callQuery(query).last ?? CONSOLE_LIMITS.logLines),
        }),
      },
      "POST /console/servers/*/restart": act("restart"),
      "POST /console/servers/*/enable": act("enable"),
      "POST /console/servers/*/disable": act("disable"),
      "POST /console/servers/*/login": act("login"),
      "GET /console/calls": {
        answer: ({ source, query, live }) => callsAnswer(source, callQuery(query), live),
      },
      "GET /console/changes": { answer: ({ source }) => changesAnswer(source) },
      "POST /console/changes/approve": {
        answer: async ({ source, body }) => decide(source, "approve", decideRequest(await body())),
      },
      "POST /console/changes/refuse": {
        answer: async ({ source, body }) => decide(source, "refuse", decideRequest(await body())),
      },
      "GET /console/explain": {
        answer: async ({ source, query }) => ({
          explanations: await explained(source, query.get("tool") ?? ""),
        }),
      },
      "GET /console/clients": {
        answer: async ({ source }) => ({ clients: clientsOf(source, lastCalls(await recentCalls(source))) }),
      },
      "GET /console/tokens": { answer: ({ source }) => ({ tokens: tokensShown(source) }) },
      "POST /console/tokens": {
        answer: async ({ source, body }) => makeToken(source, tokenRequest(await body())),
      },
      "DELETE /console/tokens/*": { answer: ({ source, name }) => revokeToken(source, name) },
      "POST /console/tools": {
        isLocal: true,
        answer: async ({ source, body }) => toolChange(source, toolChangeIn(await body())),
      },
      "GET /console/rows": {
        answer: async ({ source, session }) => {
          const rows = await source.rows();
          const isLocal = session.origin === "local";
          return {
            rows: rows.map((row) => ({ ...row, isEditable: row.isEditable && isLocal })),
            files: source.files(),
          };
        },
      },
      "POST /console/rows/check": {
        isLocal: true,
        answer: async ({ source, body }) => checkRow(source, rowRequest(await body())),
      },
      "POST /console/rows": {
        isLocal: true,
        answer: async ({ source, body }) => changeRow(source, rowRequest(await body())),
      },
      "GET /console/connect": {
        isLocal: true,
        answer: async ({ source }) => ({ clients: await source.clients() }),
      },
      "POST /console/connect/preview": {
        isLocal: true,
        answer: async ({ source, body }) => previewConnect(source, connectRequest(await body())),
      },
      "POST /console/connect": {
        isLocal: true,
        answer: async ({ source, body }) => connectClient(source, connectRequest(await body())),
      },
      "GET /console/try": {
        answer: ({ source, query, signal }) =>
          tryOffer(source.view, eraIn(query.get("era") ?? "modern"), signal),
      },
      "POST /console/try": { answer: (asked) => this.#try(asked) },
      "POST /console/try/*/answer": {
        answer: async ({ session, name, body }) => {
          if (!this.#tries.answer(name, session, tryAnswer(await body())))
            throw new ConsoleRefusal(409, "conflict", "the question does not wait for an answer any more");
          return {};
        },
      },
      "POST /console/apps": {
        answer: async ({ source, session, body, signal }) =>
          this.#apps.make(source, appRequest(await body()), { owner: session, signal }),
      },
    };
  }

  async #openStream({ response, session, live, query }: Asked): Promise<undefined> {
    const open = [...this.#live.values()].reduce((count, { streams }) => count + streams, 0);
    if (open >= CONSOLE_LIMITS.streams)
      throw new ConsoleRefusal(
        429,
        "too_many",
        "too many streams are open",
        "close other tabs of the console",
      );
    startLines(response);
    this.#hold(response, session);
    await live.open(response, session, query.get("after") ?? undefined);
  }

  async #try({ response, session, source, body }: Asked): Promise<undefined> {
    const request = tryRequest(await body());
    if (this.#tries.count >= CONSOLE_LIMITS.tries)
      throw new ConsoleRefusal(429, "too_many", "too many tries run; wait for one to end");
    const route = this.#routeOf(source, session, request);
    startLines(response);
    this.#hold(response, session);
    await this.#tries.run(response, session, { view: source.view, route, request });
  }

  /** An app is a client of its own server only, at the path where that is all there is. */
  #routeOf(
    source: ConsoleSource,
    session: ConsoleSession,
    request: TryRequest,
  ): Parameters<ConsoleSource["view"]["host"]>[0] {
    const app = request.kind === "prompt" ? undefined : request.app;
    if (app === undefined) return { kind: "all" };
    const server = this.#apps.serverOf(app, session);
    if (server === undefined) throw new ConsoleRefusal(404, "not_found", "this app is not open");
    if (request.kind === "tool" && !isForApps(source, server, request.name))
      throw new ConsoleRefusal(
        403,
        "not_allowed",
        `server ${JSON.stringify(server)} has no tool ${JSON.stringify(request.name)} for apps`,
      );
    return { kind: "server", id: server };
  }

  /** An answer that goes on keeps its session, and ends with its token. */
  #hold(response: ServerResponse, session: ConsoleSession): void {
    session.busy += 1;
    const timer = setInterval(() => {
      if (!this.#sessions.isOpen(session)) response.destroy();
    }, RECHECK_MS).unref();
    if (session.token === undefined) clearInterval(timer);
    response.on("close", () => {
      clearInterval(timer);
      session.busy -= 1;
      session.lastSeenMs = Date.now();
    });
  }
}

function isAdmin(tokens: GatewayTokens | undefined, id: string): boolean {
  try {
    return tokens?.find(id)?.admin === true;
  } catch {
    return false; // The file is unusable, which is reported when a client sends a token.
  }
}

function tokensShown({ tokens }: ConsoleSource): readonly TokenShown[] {
  return (tokens?.list() ?? []).map(({ hash: _hash, ...token }) => token);
}

function noServer(name: string): never {
  throw new ConsoleRefusal(
    404,
    "not_found",
    `there is no server named ${JSON.stringify(name.slice(0, 100))}`,
  );
}

function notAllowed(): ConsoleRefusal {
  return new ConsoleRefusal(405, "bad_request", "Method not allowed");
}

function targetOf({ url = "/" }: IncomingMessage): URL {
  if (!url.startsWith("/") || !URL.canParse(url, "http://console"))
    throw new ConsoleRefusal(400, "bad_request", "the address is malformed");
  return new URL(url, "http://console");
}

/** Finds a route. `*` in it is one segment of the path: a name, percent-encoded. */
function matched(
  routes: { readonly [route: string]: ConsoleRoute },
  method: string,
  pathname: string,
): { readonly route: ConsoleRoute; readonly name: string } | undefined {
  const plain = routes[`${method} ${pathname}`];
  if (plain && Object.hasOwn(routes, `${method} ${pathname}`)) return { route: plain, name: "" };
  const [, console, room, name, ...rest] = pathname.split("/");
  if (name === undefined || name === "") return undefined;
  const key = `${method} /${[console, room, "*", ...rest].join("/")}`;
  const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
  return route && { route, name: decoded(name) };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ConsoleRefusal(400, "bad_request", "the address is malformed");
  }
}

/** Reads a JSON body. A form of another page cannot send this type without asking first, and is refused then. */
function readBody(request: IncomingMessage): Promise<string> {
  const { "content-type": type = "", "content-encoding": encoding } = request.headers;
  if (!/^application\/json(?:\s*;|$)/i.test(type) || encoding !== undefined)
    throw new ConsoleRefusal(415, "bad_request", "the body is not application/json");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= CONSOLE_LIMITS.bodyBytes) chunks.push(chunk);
      else reject(new ConsoleRefusal(413, "bad_request", "the body is too large"));
    });
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.on("error", reject);
  });
}

function startLines(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "application/x-ndjson; charset=utf-8",
    "cache-control": "no-store",
    // Proxies would collect the lines.
    "x-accel-buffering": "no",
  });
  response.flushHeaders();
}

function send(response: ServerResponse, answer: object): void {
  response.writeHead(200, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(answer));
}

function sendAsset(request: IncomingMessage, response: ServerResponse, asset: Asset): void {
  const { type, body, gzip, isImmutable } = asset;
  const isSmall = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
  const sent = isSmall ? gzip : body;
  response.writeHead(200, {
    "content-type": type,
    "content-length": sent.length,
    "cache-control": isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": PAGE_POLICY,
    "x-frame-options": "DENY",
    vary: "accept-encoding",
    ...(isSmall && { "content-encoding": "gzip" }),
  });
  response.end(request.method === "HEAD" ? undefined : sent);
}

function refuse(response: ServerResponse, thrown: unknown, report: (message: string) => void): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { status, code, message, remedy } = refusalOf(thrown);
  if (status === 500) report(`the console cannot answer: ${message}`);
  const body: ConsoleError = { error: { code, message, remedy } };
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  });
  response.end(JSON.stringify(body));
}

function refusalOf(thrown: unknown): Pick<ConsoleRefusal, "status" | "code" | "message" | "remedy"> {
  if (thrown instanceof ConsoleRefusal) return thrown;
  if (thrown instanceof RefusedChange)
    return { status: 409, code: "conflict", message: thrown.message, remedy: undefined };
  return { status: 500, code: "failed", message: describeError(thrown), remedy: undefined };
}
