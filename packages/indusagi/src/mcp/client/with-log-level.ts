import type { ServerSession } from "../../interop/index.ts";
import type { ClientCore } from "./client-core.ts";

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

type Members = { readonly [member: string]: unknown };

/** The `_meta` of a request. In the modern era a server is silent unless a request says that somebody listens. */
export function metaOf(core: ClientCore, session: ServerSession, meta?: Members): Members | undefined {
  const wantsLogs = session.era === "modern" && core.hearsLogs && core.handlers.logger !== undefined;
  return wantsLogs ? { ...meta, [LOG_LEVEL]: core.logLevel ?? "info" } : meta;
}

/** The parameters of a request, with that `_meta`. */
export function withLogLevel(params: Members, core: ClientCore, session: ServerSession): Members {
  const meta = metaOf(core, session);
  return meta ? { ...params, _meta: meta } : params;
}
