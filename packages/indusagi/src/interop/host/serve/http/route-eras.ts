import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import { CoreError, mintUlid } from "../../../../core/index.ts";
import type { ToolBox } from "../../../../runtime/index.ts";
import type { HostProviders } from "../../../contract/index.ts";
import { RpcCode } from "../../../wire/index.ts";
import { buildServer } from "../../build-server.ts";
import { chosenProviders, type HostCore } from "../../host-core.ts";
import { followChanges } from "../../offer/host-changes.ts";
import { type HostPeer, introducedClient, peerClient } from "../../request/host-peer.ts";
import type { loadServerSdk } from "../../server-sdk.ts";
import { paramHeaderMismatch } from "./admit/check-param-headers.ts";
import type { LiveToken } from "./admit/live-tokens.ts";
import type { HttpLimits } from "./http-options.ts";
import type { LegacySessions } from "./legacy-sessions.ts";
import { endWithToken } from "./stream/end-with-token.ts";
import { watchWhileOpen } from "./stream/watch-while-open.ts";

type Sdk = Awaited<ReturnType<typeof loadServerSdk>>;

export interface RoutedRequest {
  readonly parsedBody?: unknown;
  readonly authInfo?: AuthInfo;
  /** The token of the request, if it can end. */
  readonly live?: LiveToken;
  /** Makes the signal of the request abort when its token ends. */
  readonly abortWithToken?: () => void;
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

  async fetch(request: Request, given: RoutedRequest): Promise<Response> {
    const route = this.#sdk.classifyInboundRequest({
      httpMethod: request.method,
      ...headerOf(request, "mcp-protocol-version", "protocolVersionHeader"),
      ...headerOf(request, "mcp-method", "mcpMethodHeader"),
      ...headerOf(request, "mcp-name", "mcpNameHeader"),
      body: given.parsedBody,
    });
    return route.kind === "legacy" ? this.#legacy(request, given) : this.#modernEnding(request, given);
  }

  /** Requests that run in a session are ended by the session. */
  #legacy(request: Request, given: RoutedRequest): Promise<Response> {
    const answering = this.#sessions.handle(this.#core, request, given);
    return given.live && request.method === "GET" ? endWithToken(answering, given.live) : answering;
  }

  /** Ends the request with its token. */
  async #modernEnding(request: Request, given: RoutedRequest): Promise<Response> {
    const { live, abortWithToken, parsedBody } = given;
    if (!live) return this.#serveModern(request, given);
    abortWithToken?.();
    const { id } = parsedBody as CallBody;
    return endWithToken(this.#serveModern(request, given), { ended: live.ended, id });
  }

  async #serveModern(request: Request, given: RoutedRequest): Promise<Response> {
    const introduction = this.#core.introduction && (await this.#core.introduction());
    const peer = { ...this.#peerFor(given), introduction };
    this.#peers.set(request, peer);
    const refused = mismatch(request, given, peer.box);
    if (refused) return refused;
    const response = await this.#modern.fetch(request, given);
    const { watches } = this.#core;
    const provider = peer.providers.resources;
    const client = peerClient(peer);
    return watchWhileOpen(watches, { message: given.parsedBody, request, response, client, provider });
  }

  /** Ends what is open here, without the sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#core.parked.endOfListener(this.#name, new CoreError("disconnected", "the listener is closed"));
    await this.#modern.close();
  }

  #peerFor({ parsedBody, authInfo }: RoutedRequest): ModernPeer {
    const principal = authInfo?.clientId;
    const client = introducedClient(parsedBody);
    this.#requests += 1;
    const peer: HostPeer = {
      era: "modern",
      isConnection: false,
      listener: this.#name,
      measured: this.#limits.json,
      // Unique across listeners: a host may have several.
      request: `${this.#name}_request_${this.#requests}`,
      ...(principal === undefined ? {} : { principal }),
      ...(client === undefined ? {} : { client }),
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

  /** It is not known which client uses which box, so all subscribed clients are notified and list again. */
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
function mismatch(request: Request, { parsedBody }: RoutedRequest, box: ToolBox): Response | undefined {
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
  request: Request,
  name: string,
  member: Member,
): { readonly [name in Member]?: string } {
  const value = request.headers.get(name);
  return (value === null ? {} : { [member]: value }) as { readonly [name in Member]?: string };
}
