import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpSite } from "indusagi/interop";
import { productVersion } from "../boot/internal.ts";
import { bearerToken, type GatewayTokens } from "../gateway/index.ts";
import { type Asset, namedAsset, pageAsset, refuse, send, sendAsset } from "./answers.ts";
import {
  CONSOLE_LIMITS,
  type MadeLink,
  type OpenedSession,
  SESSION_HEADER,
  type SessionInfo,
} from "./contract.ts";
import {
  ConsoleRefusal,
  isFromHere,
  refuseEmbedding,
  refuseOtherSites,
  refuseUnencrypted,
  SAFE_HEADERS,
} from "./guard.ts";
import { takeLink } from "./links.ts";
import { codeIn, readBody } from "./requests.ts";
import { DataRoutes } from "./routes.ts";
import { type ConsoleSession, ConsoleSessions } from "./sessions.ts";
import type { ConsoleSources } from "./source.ts";

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

/** The console of a running gateway: who gets in, and the page. What a session may ask for is in `DataRoutes`. */
export class ConsoleSite implements Pick<HttpSite, "serve"> {
  readonly #options: ConsoleOptions;
  readonly #sessions: ConsoleSessions;
  readonly #routes: DataRoutes;

  constructor(options: ConsoleOptions) {
    this.#options = options;
    this.#sessions = new ConsoleSessions((id) => isAdmin(options.tokens, id));
    this.#routes = new DataRoutes(options.sources, this.#sessions);
    options.signal.addEventListener("abort", () => this.close(), { once: true });
  }

  close(): void {
    this.#routes.close();
  }

  /** Whether somebody looks, or did within this time. */
  isUsed(withinMs: number): boolean {
    return this.#sessions.isUsed(withinMs);
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
    if (pathname !== "/" && pathname !== "/favicon.ico" && !pathname.startsWith("/console/"))
      throw new ConsoleRefusal(404, "not_found", "there is nothing here");
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
    await this.#routes.answer({ request, response, session, method, pathname, query: searchParams });
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
    const page = isOurFrame ? this.#routes.takeApp(pathname.slice("/console/app/".length)) : undefined;
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
    const code = codeIn(await readBody(request));
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
}

function isAdmin(tokens: GatewayTokens | undefined, id: string): boolean {
  try {
    return tokens?.find(id)?.admin === true;
  } catch {
    return false; // The file is unusable, which is reported when a client sends a token.
  }
}

function notAllowed(): ConsoleRefusal {
  return new ConsoleRefusal(405, "bad_request", "Method not allowed");
}

function targetOf({ url = "/" }: IncomingMessage): URL {
  if (!url.startsWith("/") || !URL.canParse(url, "http://console"))
    throw new ConsoleRefusal(400, "bad_request", "the address is malformed");
  return new URL(url, "http://console");
}
