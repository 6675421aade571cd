import type { IncomingHttpHeaders } from "node:http";
import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import { CoreError, mintUlid, onAbort } from "../../../core/index.ts";
import { InFlight, isRecord, nextTurn } from "../../../core/internal.ts";
import { createTableBox, type ToolBox } from "../../../runtime/index.ts";
import { lookUpTool } from "../../../runtime/internal.ts";
import type { HostIntroduction, HostProviders, ProviderHostInfo } from "../../contract/index.ts";
import { RpcCode } from "../../wire/index.ts";
import type { VerifiedToken } from "../admit/bearer.ts";
import { isPlainLegacyRequest, paramHeaderMismatch } from "../admit/read-message.ts";
import type { Refusal } from "../admit/refusal.ts";
import { buildServer, stateCodec } from "../build-server.ts";
import { chosenProviders, type HostCore } from "../host-core.ts";
import { isOffered, serveOnLane } from "../lane/lane.ts";
import { LaneRequest } from "../lane/lane-request.ts";
import { type Envelope, ModernClients } from "../lane/modern-clients.ts";
import { ModernExchange } from "../lane/modern-exchange.ts";
import { hasPlainHeaders, isPlainModern, type PlainRequest } from "../lane/plain-request.ts";
import { followChanges } from "../offer/host-changes.ts";
import { HostConnection } from "../request/host-connection.ts";
import { type HostPeer, introducedIn, introducedPeer, peerClient } from "../request/host-peer.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import { endWithToken, type TokenUse } from "../stream/end-with-token.ts";
import { pushWhileOpen, watchWhileOpen } from "../stream/push-while-open.ts";
import { exchange, readRequest } from "../stream/web-exchange.ts";
import { sendJson } from "../stream/write-message.ts";
import type { HttpLimits } from "./http-options.ts";
import type { LegacySessions, SessionRequest } from "./legacy-sessions.ts";

type Sdk = Awaited<ReturnType<typeof loadServerSdk>>;

/** A request for a host, whose body has been read, and its response. */
export interface RoutedExchange extends SessionRequest {
  readonly token?: VerifiedToken | undefined;
}

/** A request of the modern era as the SDK takes it. */
interface ModernRequest {
  readonly parsedBody: unknown;
  readonly authInfo?: AuthInfo;
}

/** How a modern request uses the host. */
interface ModernUse {
  readonly principal: string | undefined;
  readonly introduction: HostIntroduction | undefined;
  /** Its token, if that can end. */
  readonly use: TokenUse | undefined;
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
  readonly #clients: ModernClients;
  readonly #introductions = new WeakMap<Envelope, Pick<HostPeer, "client" | "extensions">>();
  /** Running requests on the lane. */
  readonly #exchanges = new InFlight<number, ModernExchange>();
  readonly #stops: (() => void)[] = [];
  /** The peer of each modern request, found once, before its headers are compared with its tool. */
  readonly #peers = new WeakMap<Request, HostPeer>();
  readonly #followed = new WeakSet<object>();
  readonly #name = `listener_${mintUlid()}`;
  #requests = 0;
  #exchanged = 0;
  #isClosed = false;
  readonly #over = new AbortController();

  constructor(core: HostCore, { sdk, limits, sessions }: EraRouterOptions) {
    this.#core = core;
    this.#sdk = sdk;
    this.#clients = new ModernClients(sdk);
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
  serve(routed: RoutedExchange): Promise<Refusal | undefined> | Refusal | undefined {
    const { incoming, body } = routed;
    if (isPlainLegacyRequest(body, incoming.headers)) return this.#serveLegacy(routed);
    const plain = this.#plainRequest(routed);
    if (!plain && this.#isLegacy(routed)) return this.#serveLegacy(routed);
    const { introduction } = this.#core;
    if (introduction) return introduction().then((shown) => this.#serveModern(routed, plain, shown));
    return this.#serveModern(routed, plain, undefined);
  }

  /** The request, if it may take the lane. */
  #plainRequest({ body, incoming: { headers } }: RoutedExchange): PlainModern | undefined {
    if (!this.#core.usesLane || !isPlainModern(body) || !hasPlainHeaders(body, headers)) return undefined;
    const envelope = this.#clients.read(body);
    return envelope && { message: body, envelope };
  }

  #serveModern(
    routed: RoutedExchange,
    plain: PlainModern | undefined,
    introduction: HostIntroduction | undefined,
  ): Promise<undefined> | undefined {
    const { body, token, incoming, outgoing, live } = routed;
    const { headers } = incoming;
    const use = live && { ended: live.ended, isGiven: false };
    const introduced = plain ? this.#introducedBy(plain) : this.#introduced(body);
    const peer = this.#peerFor(introduced, { principal: token?.principal, introduction, use });
    const mismatch = headerMismatch(body as CallBody, peer.box, headers);
    if (mismatch) {
      const message = { jsonrpc: "2.0", id: (body as CallBody).id ?? null, error: mismatch };
      sendJson(outgoing, { status: 400, body: JSON.stringify(message), stalledMs: this.#limits.stalledMs });
      return undefined;
    }
    const connection = plain && this.#connectionOf(peer);
    if (!plain || !connection || !isOffered(connection, plain.message.method))
      return this.#exchange(routed, { ...peer, providers: this.#providersOf(peer) }, use);
    this.#serveOnLane(routed, plain, { connection, use });
    return undefined;
  }

  /** What the host learns about the client of a request. */
  #introduced(body: unknown): Pick<HostPeer, "client" | "extensions"> {
    return introducedPeer("modern", introducedIn(body), this.#core.passesExtension);
  }

  /** The same for a request on the lane, read once for all with the same description. */
  #introducedBy({ message, envelope }: PlainModern): Pick<HostPeer, "client" | "extensions"> {
    const known = this.#introductions.get(envelope) ?? this.#introduced(message);
    this.#introductions.set(envelope, known);
    return known;
  }

  /** A request that the SDK serves. */
  async #exchange(
    { incoming, outgoing, body, token }: RoutedExchange,
    peer: ModernPeer,
    use: TokenUse | undefined,
  ): Promise<undefined> {
    const given = { parsedBody: body, ...(token ? { authInfo: authInfoOf(token) } : {}) };
    await exchange(incoming, outgoing, this.#limits.stalledMs, (request, abort) => {
      const answer = (): Promise<Response> => this.#fetch(request, given, peer);
      if (!use) return answer();
      outgoing.once("close", onAbort(use.ended, abort));
      return endWithToken(answer, use, (body as CallBody).id);
    });
    return undefined;
  }

  #serveOnLane(
    { incoming, outgoing, body, token }: RoutedExchange,
    { message, envelope }: PlainModern,
    { connection, use }: { readonly connection: HostConnection; readonly use: TokenUse | undefined },
  ): void {
    const { stalledMs, keepAliveMs } = this.#limits;
    this.#exchanged += 1;
    const count = this.#exchanged;
    const exchanged = new ModernExchange({
      outgoing,
      stalledMs,
      keepAliveMs,
      token: use,
      report: (problem) => this.#core.report(problem),
      onEnd: () => this.#exchanges.delete(count),
      askSdk: async () => {
        const { peer, providers } = connection;
        const result = connection.takeSettled(message.id);
        const settled = result && new Map([[message.id, result]]);
        const given = { parsedBody: body, ...(token ? { authInfo: authInfoOf(token) } : {}) };
        const request = readRequest(incoming, new AbortController().signal);
        const response = await this.#modern.fetch(
          this.#noted(request, { ...peer, providers, settled }),
          given,
        );
        return { status: response.status, message: (await response.json()) as object };
      },
    });
    this.#exchanges.set(count, exchanged);
    const request = new LaneRequest(message, { connection, line: exchanged, envelope });
    if (exchanged.begin(request)) serveOnLane(connection, request, exchanged);
  }

  /** A client of one request that takes the lane. It needs no SDK server. */
  #connectionOf(peer: HostPeer): HostConnection {
    const { info = this.#core.info, capabilities: shown } = peer.introduction ?? {};
    const offers = (ability: string): boolean => !shown || isRecord(shown[ability]);
    return new HostConnection({
      core: this.#core,
      peer,
      codec: () => stateCodec(this.#core, peer, this.#sdk),
      providers: () => this.#providersOf(peer),
      offersTools: offers("tools"),
      offersLogging: offers("logging"),
      info: implementationOf(info),
    });
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
  #serveLegacy(routed: RoutedExchange): Promise<Refusal | undefined> | Refusal | undefined {
    const { incoming, outgoing, live } = routed;
    if (live && incoming.method === "GET") {
      if (live.ended.aborted) return live.ended.reason as Refusal;
      outgoing.once(
        "close",
        onAbort(live.ended, () => outgoing.end()),
      );
    }
    return this.#sessions.handle(this.#core, routed);
  }

  async #fetch(request: Request, given: ModernRequest, peer: ModernPeer): Promise<Response> {
    let isUnknownMethod = false;
    const onUnknownMethod = (): void => void (isUnknownMethod = true);
    const response = await this.#modern.fetch(this.#noted(request, { ...peer, onUnknownMethod }), given);
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

  #noted(request: Request, peer: HostPeer): Request {
    this.#peers.set(request, peer);
    return request;
  }

  /** Ends what is open here, without the sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#over.abort();
    this.#core.parked.endOfListener(this.#name, new CoreError("disconnected", "the listener is closed"));
    this.#core.tasks?.endOfListener(this.#name);
    for (const exchanged of [...this.#exchanges.values()]) exchanged.close();
    await this.#modern.close();
    // Open streams end with an answer, which must be written before their connections are closed.
    await nextTurn();
  }

  #peerFor(
    { client, extensions }: Pick<HostPeer, "client" | "extensions">,
    { principal, introduction, use }: ModernUse,
  ): HostPeer & { readonly box: ToolBox } {
    this.#requests += 1;
    const peer = {
      era: "modern" as const,
      isConnection: false,
      listener: this.#name,
      measured: this.#limits.json,
      // Unique across listeners: a host may have several.
      request: `${this.#name}_request_${this.#requests}`,
      principal,
      client,
      extensions,
      introduction,
      onGiven: use && (() => void (use.isGiven = true)),
      box: NO_TOOLS,
    };
    const { box } = this.#core;
    peer.box = typeof box === "function" ? box(peerClient(peer)) : box;
    this.#followBox(peer.box);
    return peer;
  }

  #providersOf(peer: HostPeer): HostProviders {
    const providers = chosenProviders(this.#core, peer);
    this.#followProviders(providers);
    return providers;
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

const NO_TOOLS: ToolBox = createTableBox().box;

/** A modern request that may take the lane, and what it says about its client. */
interface PlainModern {
  readonly message: PlainRequest;
  readonly envelope: Envelope;
}

type ModernPeer = HostPeer & { readonly box: ToolBox; readonly providers: HostProviders };

/** Arguments that a tool declares as headers must match the headers: proxies route by them. */
function headerMismatch(
  { method, params }: CallBody,
  box: ToolBox,
  headers: IncomingHttpHeaders,
): object | undefined {
  if (method !== "tools/call" || typeof params?.name !== "string") return undefined;
  const tool = lookUpTool(box, params.name)?.descriptor;
  const found = tool && paramHeaderMismatch(tool, params.arguments, headers);
  if (!found) return undefined;
  const message = `Bad Request: the request headers and body disagree: ${found.body}`;
  return { code: RpcCode.HEADER_MISMATCH, message, data: { mismatch: found } };
}

const implementations = new WeakMap<ProviderHostInfo, HostConnection["info"]>();

/** How the host presents itself in each answer. The same object each time, because its text is kept. */
function implementationOf(info: ProviderHostInfo): HostConnection["info"] {
  const known = implementations.get(info);
  if (known) return known;
  const { instructions: _, ...implementation } = info;
  implementations.set(info, implementation);
  return implementation;
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
