import type { AuthInfo, McpHttpHandler } from "@modelcontextprotocol/server";
import type { ToolBox } from "../../../runtime/index.ts";
import { buildServer } from "../build-server.ts";
import { followChanges } from "../host-changes.ts";
import type { HostCore } from "../host-core.ts";
import type { loadServerSdk } from "../server-sdk.ts";
import { paramHeaderMismatch } from "./check-param-headers.ts";
import type { HttpLimits } from "./http-options.ts";
import { LegacySessions } from "./legacy-sessions.ts";

type Sdk = Awaited<ReturnType<typeof loadServerSdk>>;

export interface RoutedRequest {
  readonly parsedBody?: unknown;
  readonly authInfo?: AuthInfo;
}

const HEADER_MISMATCH = -32020;

/** One URL for both eras: the message itself says which it belongs to. */
export class EraRouter {
  readonly sessions: LegacySessions;
  readonly #core: HostCore;
  readonly #sdk: Sdk;
  readonly #modern: McpHttpHandler;
  readonly #stopFollowing: () => void;

  constructor(core: HostCore, sdk: Sdk, limits: HttpLimits) {
    this.#core = core;
    this.#sdk = sdk;
    this.sessions = new LegacySessions(core, sdk, limits);
    this.#modern = sdk.createMcpHandler(
      ({ authInfo }) => buildServer(core, modernPeer(authInfo?.clientId), sdk),
      {
        legacy: "reject",
        keepAliveMs: limits.keepAliveMs,
        maxRequestBodySize: limits.bodyBytes,
        onerror: (error) => core.report(error.message),
      },
    );
    this.#stopFollowing = followChanges(core.box, core.providers, this.#modern.notify);
  }

  async fetch(request: Request, given: RoutedRequest): Promise<Response> {
    const route = this.#sdk.classifyInboundRequest({
      httpMethod: request.method,
      ...headerOf(request, "mcp-protocol-version", "protocolVersionHeader"),
      ...headerOf(request, "mcp-method", "mcpMethodHeader"),
      ...headerOf(request, "mcp-name", "mcpNameHeader"),
      body: given.parsedBody,
    });
    if (route.kind === "legacy") return this.sessions.handle(request, given);
    return this.#mismatch(request, given) ?? this.#modern.fetch(request, given);
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    await Promise.all([this.sessions.close(), this.#modern.close()]);
  }

  /** Arguments that a tool wants to see in headers must say the same there: whoever routes by headers trusts them. */
  #mismatch(request: Request, { parsedBody, authInfo }: RoutedRequest): Response | undefined {
    const { method, params, id } = parsedBody as CallBody;
    if (method !== "tools/call" || typeof params?.name !== "string") return undefined;
    const tool = this.#boxFor(authInfo?.clientId)
      .descriptors()
      .find(({ name }) => name === params.name);
    const mismatch = tool && paramHeaderMismatch(tool, params.arguments, request.headers);
    if (!mismatch) return undefined;
    const message = `Bad Request: the request headers and body disagree: ${mismatch.body}`;
    const error = { code: HEADER_MISMATCH, message, data: { mismatch } };
    return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status: 400 });
  }

  #boxFor(principal: string | undefined): ToolBox {
    const { box } = this.#core;
    if (typeof box !== "function") return box;
    return box({
      key: principal ?? "request",
      era: "modern",
      ...(principal === undefined ? {} : { principal }),
    });
  }
}

interface CallBody {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly name?: unknown; readonly arguments?: unknown };
}

function modernPeer(principal: string | undefined): Parameters<typeof buildServer>[1] {
  return { era: "modern", isConnection: false, ...(principal === undefined ? {} : { principal }) };
}

function headerOf<Member extends string>(
  request: Request,
  name: string,
  member: Member,
): { readonly [name in Member]?: string } {
  const value = request.headers.get(name);
  return (value === null ? {} : { [member]: value }) as { readonly [name in Member]?: string };
}
