import type { IncomingMessage, ServerResponse } from "node:http";
import { shellLine } from "../screen/index.ts";
import { send, startLines } from "./answers.ts";
import { Apps, isForApps, toolShownAs } from "./apps.ts";
import { callsAnswer } from "./calls.ts";
import { changesAnswer, explained } from "./changes.ts";
import {
  CONSOLE_LIMITS,
  type ConsoleRoutes,
  type Done,
  type ServerAction,
  type TokenShown,
  type TryRequest,
} from "./contract.ts";
import { ConsoleRefusal, isFromHere } from "./guard.ts";
import { LiveEvents } from "./live.ts";
import { clientsOf, lastCalls, recentCalls } from "./overview.ts";
import {
  appRequest,
  callQuery,
  connectRequest,
  decideRequest,
  eraIn,
  logsRequest,
  readBody,
  rowRequest,
  tokenRequest,
  toolChangeIn,
  tryAnswer,
  tryRequest,
} from "./requests.ts";
import { serverDetail, serverLog } from "./server-detail.ts";
import type { ConsoleSession, ConsoleSessions } from "./sessions.ts";
import type { ConsoleSource, ConsoleSources, PlainObject } from "./source.ts";
import { Tries, tryOffer } from "./try.ts";
import {
  changeRow,
  checkRow,
  connectClient,
  decide,
  makeToken,
  previewConnect,
  revokeToken,
  serverAction,
  toolChange,
} from "./user-changes.ts";

/** How soon the streams of a revoked token end. */
const RECHECK_MS = 2_000;

/** What the console answers to a session: every route of the contract that needs one. */
export class DataRoutes {
  readonly #sources: ConsoleSources;
  readonly #sessions: ConsoleSessions;
  readonly #live = new Map<string, { readonly source: ConsoleSource; readonly events: LiveEvents }>();
  readonly #tries = new Tries();
  readonly #apps = new Apps();
  readonly #table: RouteTable;
  readonly #unfollow: (() => void) | undefined;

  constructor(sources: ConsoleSources, sessions: ConsoleSessions) {
    this.#sources = sources;
    this.#sessions = sessions;
    this.#table = this.#routeTable();
    this.#unfollow = sources.onChange?.(() => this.#foldersChanged());
  }

  close(): void {
    this.#unfollow?.();
    for (const { events } of this.#live.values()) events.close();
    this.#live.clear();
  }

  /** The page of an app that was prepared, once. */
  takeApp(secret: string): ReturnType<Apps["take"]> {
    return this.#apps.take(secret);
  }

  async answer({
    method,
    pathname,
    query,
    ...asked
  }: Pick<Asked, "request" | "response" | "session" | "query"> & {
    readonly method: string;
    readonly pathname: string;
  }): Promise<void> {
    const found = matched(this.#table, method, pathname);
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
      body: () => readBody(request),
      signal: gone.signal,
    });
    if (answer !== undefined) send(response, answer);
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
      "GET /console/tokens": { answer: async ({ source }) => ({ tokens: await tokensShown(source) }) },
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

  #source(folder: string | null): ConsoleSource {
    const sources = this.#sources.list();
    const found = folder === null ? sources[0] : sources.find((source) => source.folder.id === folder);
    if (!found) throw new ConsoleRefusal(404, "not_found", "there is no such folder here");
    return found;
  }

  /** Another client may lead a folder now, whose servers are others. */
  #liveOf(source: ConsoleSource): LiveEvents {
    const { id } = source.folder;
    const known = this.#live.get(id);
    if (known?.source === source) return known.events;
    known?.events.close();
    const events = new LiveEvents(source);
    this.#live.set(id, { source, events });
    return events;
  }

  /** Streams of folders that are gone end, and the others hear of it. */
  #foldersChanged(): void {
    const sources = this.#sources.list();
    for (const [id, { source, events }] of this.#live) {
      if (sources.includes(source)) continue;
      events.close();
      this.#live.delete(id);
    }
    const folders = sources.map(({ folder }) => folder);
    for (const { events } of this.#live.values()) events.tellFolders(folders);
  }

  async #openStream({ response, session, live, query }: Asked): Promise<undefined> {
    const open = [...this.#live.values()].reduce((count, { events }) => count + events.streams, 0);
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
    const server = request.kind === "tool" ? toolShownAs(source, request.name)?.ref.server : undefined;
    await this.#tries.run(response, session, { view: source.view, route, request, server });
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

async function tokensShown(source: ConsoleSource): Promise<readonly TokenShown[]> {
  const tokens = await source.tokens();
  return tokens.list().map(({ hash: _hash, ...token }) => ({
    ...token,
    revoke: shellLine(["indus", "token", "revoke", "--", token.name]),
  }));
}

function noServer(name: string): never {
  throw new ConsoleRefusal(
    404,
    "not_found",
    `there is no server named ${JSON.stringify(name.slice(0, 100))}`,
  );
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
