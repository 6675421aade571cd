import type { ProviderRequest, RawResult, SkillProvider } from "../../contract/index.ts";
import { RpcCode, RpcFailure } from "../../wire/index.ts";
import type { HostConnection } from "../request/host-connection.ts";
import { AS_RECEIVED, type RequestContext } from "../request/request-context.ts";
import { askProvider } from "./provide-resources.ts";

/** Answers the requests of the Skills extension (SEP-2640) from a provider. */
export function provideSkills(connection: HostConnection, provider: SkillProvider): void {
  answer(connection, "skills/list", async (params, request) => ({
    ...FRESH,
    ...(await provider.list(cursorIn(params), request)),
  }));
  answer(connection, "skills/get", async (params, request) => {
    const uri = uriIn(params);
    const found = await provider.get(uri, request);
    if (!found) throw new RpcFailure(RpcCode.INVALID_PARAMS, `Unknown skill: ${uri}`, { uri });
    return { ...FRESH, ...found };
  });
  if (!provider.directory) return;
  answer(connection, "resources/directory/read", async (params, request) => {
    const uri = uriIn(params);
    const found = await provider.directory?.(uri, cursorIn(params), request);
    if (!found) throw new RpcFailure(RpcCode.INVALID_PARAMS, `Not a folder: ${uri}`, { uri });
    return { ...FRESH, ...found };
  });
}

/** The hints that official clients require in every answer. A provider may say that its answer stays valid for longer. */
const FRESH = { ttlMs: 0, cacheScope: "private" } as const;

type Params = { readonly [member: string]: unknown };

function answer(
  connection: HostConnection,
  method: string,
  ask: (params: Params, request: ProviderRequest) => Promise<RawResult>,
): void {
  connection.server.setRequestHandler(
    method,
    { params: AS_RECEIVED },
    async (params: unknown, ctx: RequestContext) => {
      const given = (params ?? {}) as Params;
      const { uri = "" } = given;
      const about = `${method} ${String(uri)}`;
      return askProvider(connection, ctx, about, (request) => ask(given, request));
    },
  );
}

function uriIn({ uri }: Params): string {
  if (typeof uri === "string" && uri !== "") return uri;
  throw new RpcFailure(RpcCode.INVALID_PARAMS, "uri must be a text");
}

function cursorIn({ cursor }: Params): { readonly cursor?: string } {
  if (cursor === undefined) return {};
  if (typeof cursor === "string") return { cursor };
  throw new RpcFailure(RpcCode.INVALID_PARAMS, "cursor must be a text");
}
