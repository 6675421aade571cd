import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import { CoreError, mintUlid } from "../../../../core/index.ts";
import type { ClientInfo, ToolBox } from "../../../../runtime/index.ts";
import { RpcCode } from "../../../wire/index.ts";
import { buildServer } from "../../build-server.ts";
import type { HostCore } from "../../host-core.ts";
import { followChanges } from "../../offer/host-changes.ts";
import type { HostPeer } from "../../request/host-peer.ts";
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
  readonly #stopFollowing: () => void;
  /** The peer of each modern request, found once, before its headers are compared with its tool. */
  readonly #peers = new WeakMap<Request, HostPeer>();
  readonly #followed = new WeakSet<ToolBox>();
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
    this.#stopFollowing = followChanges(core, this.#modern.notify);
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
    const peer = this.#peerFor(given);
    this.#peers.set(request, peer);
    const refused = mismatch(request, given, peer.box);
    if (refused) return refused;
    const response = await this.#modern.fetch(request, given);
    return watchWhileOpen(this.#core.watches, given.parsedBody, request, response);
  }

  /** Ends what is open here, without the sessions. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopFollowing();
    this.#core.parked.endOfListener(this.#name, new CoreError("disconnected", "the listener is closed"));
    await this.#modern.close();
  }

  #peerFor({ parsedBody, authInfo }: RoutedRequest): HostPeer & { readonly box: ToolBox } {
    const principal = authInfo?.clientId;
    this.#requests += 1;
    // Unique across listeners: a host may have several.
    const request = `${this.#name}_request_${this.#requests}`;
    const peer = {
      era: "modern",
      isConnection: false,
      listener: this.#name,
      measured: this.#limits.json,
      request,
      ...(principal === undefined ? {} : { principal }),
    } as const;
    const { box } = this.#core;
    if (typeof box !== "function") return { box, ...peer };
    const client = clientOf(parsedBody);
    const chosen = box({
      key: principal ?? request,
      era: "modern",
      ...(principal === undefined ? {} : { principal }),
      ...(client === undefined ? {} : { client }),
    });
    this.#follow(chosen);
    return { box: chosen, ...peer };
  }

  #peerOf(request: Request | undefined): HostPeer {
    return (request && this.#peers.get(request)) ?? { era: "modern", isConnection: false };
  }

  /** It is not known which client uses which box, so all subscribed clients are notified and list again. */
  #follow(box: ToolBox): void {
    if (this.#followed.has(box)) return;
    this.#followed.add(box);
    const stop = box.onChange(() => {
      if (this.#isClosed) stop();
      else this.#modern.notify.toolsChanged();
    });
  }
}

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

/** The client named in this message. */
function clientOf(body: unknown): ClientInfo | undefined {
  const meta = (body as CallBody | undefined)?.params?._meta;
  const info = meta?.["io.modelcontextprotocol/clientInfo"] as ClientInfo | undefined;
  return typeof info?.name === "string" ? info : undefined;
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
