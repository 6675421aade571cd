import type { ItemKind, ListedItem, ServerSession } from "../../interop/index.ts";
import {
  type ItemRequestOptions,
  listItems,
  missingCapability,
  missingCapabilityMessage,
  type NeededCapability,
  requestRounds,
} from "../../interop/relay/index.ts";
import type { ErrorSite } from "../errors/index.ts";
import type { ClientCore } from "./client-core.ts";
import { requestTimes } from "./translate-config.ts";

type Params = { readonly [member: string]: unknown };

export interface ServerRequest {
  readonly site: ErrorSite;
  readonly needs?: NeededCapability | undefined;
}

/** Sends one request that is not a tool call, with the client's timeout and its handlers. */
export function askServer<Result>(
  core: ClientCore,
  { site, needs }: ServerRequest,
  send: (session: ServerSession, options: ItemRequestOptions) => Promise<Result>,
): Promise<Result> {
  return core.use(async ({ session }) => {
    if (needs) requireCapability(core, session, needs);
    try {
      const times = requestTimes(core.timeout);
      return await send(session, { ...times, caller: core.caller, meta: metaOf(core, session) });
    } catch (thrown) {
      throw core.translate(thrown, { site });
    }
  });
}

/** Sends a request by its method. */
export function requestServer(
  core: ClientCore,
  { method, params = {}, ...request }: ServerRequest & { readonly method: string; readonly params?: Params },
): Promise<Params> {
  return askServer(core, request, (session, options) => requestRounds(session, method, params, options));
}

/** Fetches all pages of one of a server's lists. A server without the capability has none. */
export function listFromServer(core: ClientCore, kind: ItemKind): Promise<readonly ListedItem[]> {
  return core.use(async ({ session }) => {
    try {
      const { serverName: server, caller } = core;
      const { timeoutMs } = requestTimes(core.timeout);
      const { items } = await listItems(session, kind, { server, caller, timeoutMs });
      return items;
    } catch (thrown) {
      throw core.translate(thrown, { site: "list" });
    }
  });
}

/** Throws if the server did not declare a capability. */
export function requireCapability(core: ClientCore, session: ServerSession, needs: NeededCapability): void {
  const missing = missingCapability(session, needs);
  if (missing === undefined) return;
  const message = missingCapabilityMessage(core.serverName, missing);
  throw core.error("PROTOCOL_ERROR", message, { details: { capability: missing } });
}

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** The `_meta` of a request. A modern server logs only for requests that name a level. */
export function metaOf(core: ClientCore, session: ServerSession, meta?: Params): Params | undefined {
  const wantsLogs = session.era === "modern" && core.wantsLogs && core.handlers.logger !== undefined;
  return wantsLogs ? { ...meta, [LOG_LEVEL]: core.logLevel ?? "info" } : meta;
}
