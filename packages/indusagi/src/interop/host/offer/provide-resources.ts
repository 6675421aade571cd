import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from "@modelcontextprotocol/server";
import { describeError } from "../../../core/index.ts";
import {
  type LeftOut,
  type ListKind,
  leftOutLine,
  publishableItems,
  publishableResult,
  withoutHint,
} from "../../content/index.ts";
import type { ItemKind, ProviderRequest, RawResult, ResourceProvider } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostCore } from "../host-core.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { requestMeta, serveRequest } from "../request/host-request.ts";
import type { RequestContext } from "../request/request-context.ts";
import { sendable, sendableFailure } from "../request/sendable.ts";

/** Answers `resources/…` requests from a provider and records what this connection watches. */
export function provideResources(connection: HostConnection, provider: ResourceProvider): void {
  const { server } = connection;
  server.setRequestHandler("resources/list", async ({ params }, ctx) => {
    const listed = await askProvider(connection, ctx, "resources/list", (request) =>
      provider.list(cursorOf(params), request),
    );
    return hinted(
      connection,
      ctx,
      validList(connection, "resources", listed),
    ) as unknown as ListResourcesResult;
  });
  server.setRequestHandler("resources/templates/list", async ({ params }, ctx) => {
    const listed = await askProvider(
      connection,
      ctx,
      "resources/templates/list",
      (request) => provider.templates?.(cursorOf(params), request) ?? { resourceTemplates: [] },
    );
    return hinted(
      connection,
      ctx,
      validList(connection, "templates", listed),
    ) as unknown as ListResourceTemplatesResult;
  });
  server.setRequestHandler("resources/read", async ({ params }, ctx) => {
    const content = await askProvider(connection, ctx, `resources/read ${params.uri}`, async (request) => {
      const found = await provider.read(params.uri, request);
      if (!found)
        throw new RpcFailure(RpcCode.RESOURCE_NOT_FOUND, `Resource not found: ${params.uri}`, {
          uri: params.uri,
        });
      return found;
    });
    return hinted(connection, ctx, content) as unknown as ReadResourceResult;
  });
  if (connection.peer.era === "legacy") provideWatching(connection);
}

/** Watching in the legacy era. In the modern era a client opens a stream, which the SDK serves. */
function provideWatching(connection: HostConnection): void {
  const { server, watched } = connection;
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }, ctx) => {
    await askProvider(connection, ctx, `resources/subscribe ${uri}`, async (request) => {
      await watched.add(uri, request);
      return {};
    });
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params }) => {
    watched.delete(params.uri);
    return {};
  });
}

/** Sends one request to a provider, which can reach the client as a tool can. */
export function askProvider(
  connection: HostConnection,
  ctx: RequestContext,
  about: string,
  ask: (request: ProviderRequest) => Promise<RawResult> | RawResult,
): Promise<RawResult> {
  const meta = requestMeta(ctx);
  return serveRequest(connection, ctx, about, async (caller, signal) => {
    try {
      return checked(await ask({ caller, signal, ...(meta ? { meta } : {}) }));
    } catch (thrown) {
      throw sendableFailure(thrown);
    }
  });
}

function checked(result: RawResult): RawResult {
  try {
    return sendable(result);
  } catch (thrown) {
    const message = `the provider's answer cannot be sent: ${describeError(thrown)}`;
    throw new RpcFailure(RpcCode.INTERNAL_ERROR, message);
  }
}

/** Cache hints are of the modern era, and never for the answer of a request that was continued: it depends on what was answered. */
export function hinted({ peer }: HostConnection, { mcpReq }: RequestContext, result: RawResult): RawResult {
  const isContinued = mcpReq.inputResponses !== undefined || mcpReq.requestState() !== undefined;
  return peer.era === "legacy" || isContinued ? withoutHint(result) : result;
}

/** The member of a result that holds each list. */
const MEMBERS = { resources: "resources", templates: "resourceTemplates", prompts: "prompts" } as const;

/** A provider's answer without the items that make official clients refuse all of it. */
export function validList({ core }: HostConnection, kind: ItemKind, listed: RawResult): RawResult {
  if (core.listsAsReceived) return listed;
  const result = publishableResult(listed);
  const given = result[MEMBERS[kind]];
  if (!Array.isArray(given)) return result;
  const { items, leftOut } = publishableItems(kind, given);
  reportLeftOut(core, kind, leftOut);
  return items === given ? result : { ...result, [MEMBERS[kind]]: items };
}

/** Reports what is left out of a list: once per list, however often it changes. */
export function reportLeftOut(core: HostCore, kind: ListKind, leftOut: readonly LeftOut[]): void {
  const line = core.reportedLists.has(kind) ? undefined : leftOutLine(kind, leftOut);
  if (line === undefined) return;
  core.reportedLists.add(kind);
  core.report(line);
}

export function cursorOf(params: { readonly cursor?: string | undefined } | undefined): { cursor?: string } {
  return params?.cursor === undefined ? {} : { cursor: params.cursor };
}
