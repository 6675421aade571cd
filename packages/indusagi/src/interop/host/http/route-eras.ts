import type { IncomingHttpHeaders } from "node:http";
import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import { CoreError, mintUlid, onAbort } from "../../../core/index.ts";
import { nextTurn } from "../../../core/internal.ts";
import type { ToolBox } from "../../../runtime/index.ts";
import type { HostProviders } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { VerifiedToken } from "../admit/bearer.ts";
import { paramHeaderMismatch } from "../admit/check-param-headers.ts";
import { isPlainLegacyRequest } from "../admit/plain-legacy.ts";
import type { Refusal } from "../admit/refusal.ts";
import { buildServer } from "../build-server.ts";
import { chosenProviders, type HostCore } from "../host-core.ts";
import { followChanges } from "../offer/host-changes.ts";
import { type HostPeer, introducedIn, introducedPeer, peerClient } from "../request/host-peer.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import { endWithToken } from "../stream/end-with-token.ts";
import { pushWhileOpen } from "../stream/push-while-open.ts";
import type { SessionExchange } from "../stream/session-transport.ts";
import { watchWhileOpen } from "../stream/watch-while-open.ts";
import { exchange } from "../stream/web-exchange.ts";
import type { HttpLimits } from "./http-options.ts";
import type { LegacySessions } from "./legacy-sessions.ts";

type Sdk = Awaited<ReturnType<typeof loadServerSdk>>;

/** A request for a host, whose body has been read, and its response. */
export interface RoutedExchange extends SessionExchange {
  readonly token?: VerifiedToken | undefined;
}

/** A request of the modern era as the SDK takes it. */
interface ModernRequest {
  readonly parsedBody: unknown;
  readonly authInfo?: AuthInfo;
}

export interface EraRouterOptions {
  readonly sdk: Sdk;
  readonly limits: HttpLimits;
  /** The sessions of the whole listener. */
  readonly sessions: LegacySessions;
}

/** Routes requests of both eras at one path to its host. The message determines its era. */
export class EraRouter {
  readonly #sessions: LegacySessions;
  readonly #core: HostCore;
  readonly #sdk: Sdk;
  readonly #limits: HttpLimits;
  readonly #modern: McpHttpHandler;
  readonly #stops: (() => void)[] = [];
  /** The peer of each modern request, found once, before its headers are compared with its tool. */
  readonly #peers = new WeakMap<Request, HostPeer>();
  readonly #followed = new WeakSet<object>();
  readonly #name = `listener_${mintUlid()}`;
  #requests = 0;
  #isClosed = false;
  readonly #over = new AbortController();

  constructor(core: HostCore, { sdk, limits, sessions }: EraRouterOptions) {
    this.#core = core;
    this.#sdk = sdk;
    this.#limits = limits;
    this.#sessions = sessions;
    this.#modern = sdk.createMcpHandler(
      ({ requestInfo }) => buildServer(core, this.#peerOf(requestInfo), sdk),
      {
        legacy: "reject",
        keepAliveMs: limits.keepAliveMs,
        maxRequestBodySize: limits.bodyBytes,
        onerror: (error) => core.report(error.message),
      },
    );
    const { box, providers } = core;
    if (typeof box !== "function") this.#followBox(box);
    if (typeof providers !== "function") this.#followProviders(providers);
  }

  /** Answers a request, or returns why it is refused. */
  async serve(routed: RoutedExchange): Promise<Refusal | undefined> {
    const { incoming, outgoing, body, token, live } = routed;
    if (isPlainLegacyRequest(body, incoming.headers) || this.#isLegacy(routed))
      return this.#serveLegacy(routed);
    const given = { parsedBody: body, ...(token ? { authInfo: authInfoOf(token) } : {}) };
    await exchange(incoming, outgoing, this.#limits.stalledMs, (request, abort) => {
      if (!live) return this.#serveModern(request, given);
      outgoing.once("close", onAbort(live.ended, abort));
      const { id } = body as CallBody;
      return endWithToken(this.#serveModern(request, given), { ended: live.ended, id });
    });
    return undefined;
  }

  #isLegacy({ incoming: { method = "GET", headers }, body }: RoutedExchange): boolean {
    const route = this.#sdk.classifyInboundRequest({
      httpMethod: method,
      ...headerOf(headers, "mcp-protocol-version", "protocolVersionHeader"),
      ...headerOf(headers, "mcp-method", "mcpMethodHeader"),
      ...headerOf(headers, "mcp-name", "mcpNameHeader"),
      body,
    });
    return route.kind === "legacy";
  }

  /** Requests that run in a session are ended by the session; a stream for notifications ends with its token. */
  #serveLegacy(routed: RoutedExchange): Promise<Refusal | undefined> {
    const { incoming, outgoing, live, token } = routed;
    if (live && incoming.method === "GET") {
      if (live.ended.aborted) return Promise.resolve(live.ended.reason as Refusal);
      outgoing.once(
        "close",
        onAbort(live.ended, () => outgoing.end()),
      );
    }
    return this.#sessions.handle(this.#core, { ...routed, principal: token?.principal });
  }

  async #serveModern(request: Request, given: ModernRequest): Promise<Response> {
    const introduction = this.#core.introduction && (await this.#core.introduction());
    let isUnknownMethod = false;
    const onUnknownMethod = (): void => void (isUnknownMethod = true);
    const peer = { ...this.#peerFor(given), introduction, onUnknownMethod };
    this.#peers.set(request, peer);
    const refused = mismatch(request, given, peer.box);
    if (refused) return refused;
    const response = await this.#modern.fetch(request, given);
    // The SDK knows the methods that have a handler. For those that are passed on, the status is up to us.
    if (isUnknownMethod) return new Response(response.body, { status: 404, headers: response.headers });
    const { watches } = this.#core;
    const provider = peer.providers.resources;
    const client = peerClient(peer);
    const message = given.parsedBody;
    const watched = await watchWhileOpen(watches, { message, request, response, client, provider });
    return pushWhileOpen(watched, {
      ...{ message, core: this.#core, peer, signal: request.signal },
      ended: this.#over.signal,
      keepAliveMs: this.#limits.keepAliveMs,
    });
  }

  /** Ends what is open here, without the sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#over.abort();
    this.#core.parked.endOfListener(this.#name, new CoreError("disconnected", "the listener is closed"));
    this.#core.tasks?.endOfListener(this.#name);
    await this.#modern.close();
    // Open streams end with an answer, which must be written before their connections are closed.
    await nextTurn();
  }

  #peerFor({ parsedBody, authInfo }: ModernRequest): ModernPeer {
    const principal = authInfo?.clientId;
    this.#requests += 1;
    const peer: HostPeer = {
      era: "modern",
      isConnection: false,
      listener: this.#name,
      measured: this.#limits.json,
      // Unique across listeners: a host may have several.
      request: `${this.#name}_request_${this.#requests}`,
      principal,
      ...introducedPeer("modern", introducedIn(parsedBody), this.#core.passesExtension),
    };
    const { box } = this.#core;
    const chosen = typeof box === "function" ? box(peerClient(peer)) : box;
    this.#followBox(chosen);
    const providers = chosenProviders(this.#core, peer);
    this.#followProviders(providers);
    return { ...peer, box: chosen, providers };
  }

  #peerOf(request: Request | undefined): HostPeer {
    return (request && this.#peers.get(request)) ?? { era: "modern", isConnection: false };
  }

  /** It is unknown which client uses which box, so all subscribed clients are notified and list again. */
  #followBox(box: ToolBox): void {
    if (this.#isNew(box)) this.#stops.push(box.onChange(() => this.#modern.notify.toolsChanged()));
  }

  #followProviders({ resources, prompts }: HostProviders): void {
    const report = (message: string): void => this.#core.report(message);
    for (const providers of [resources && { resources }, prompts && { prompts }])
      if (providers && this.#isNew(Object.values(providers)[0]))
        this.#stops.push(followChanges({ providers, report }, this.#modern.notify));
  }

  #isNew(followed: object): boolean {
    if (this.#isClosed || this.#followed.has(followed)) return false;
    this.#followed.add(followed);
    return true;
  }
}

type ModernPeer = HostPeer & { readonly box: ToolBox; readonly providers: HostProviders };

/** Arguments that a tool declares as headers must match the headers: proxies route by them. */
function mismatch(request: Request, { parsedBody }: ModernRequest, box: ToolBox): Response | undefined {
  const { method, params, id } = parsedBody as CallBody;
  if (method !== "tools/call" || typeof params?.name !== "string") return undefined;
  const tool = box.descriptors().find(({ name }) => name === params.name);
  const found = tool && paramHeaderMismatch(tool, params.arguments, request.headers);
  if (!found) return undefined;
  const message = `Bad Request: the request headers and body disagree: ${found.body}`;
  const error = { code: RpcCode.HEADER_MISMATCH, message, data: { mismatch: found } };
  return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status: 400 });
}

interface CallBody {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: unknown;
    readonly arguments?: unknown;
    readonly _meta?: { readonly [key: string]: unknown };
  };
}

function headerOf<Member extends string>(
  headers: IncomingHttpHeaders,
  name: string,
  member: Member,
): { readonly [name in Member]?: string } {
  const value = headers[name];
  return (value === undefined ? {} : { [member]: String(value) }) as { readonly [name in Member]?: string };
}

/** What the protocol layer learns about a token: its principal. The secret itself stays here. */
function authInfoOf({ principal, scopes = [], expiresAt }: VerifiedToken): AuthInfo {
  return {
    token: "",
    clientId: principal,
    scopes: [...scopes],
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
