import type { ErrorSite } from "../translate/index.ts";
import type { ClientCore } from "./client-core.ts";
import { requestTimes } from "./client-timeouts.ts";
import { listPages } from "./list-pages.ts";
import { requestRounds } from "./request-rounds.ts";
import { withLogLevel } from "./with-log-level.ts";

type Params = { readonly [member: string]: unknown };

export interface ServerRequest {
  readonly method: string;
  readonly params?: Params;
  readonly site: ErrorSite;
}

/** One request that is no tool call, with the client's timeout and its handlers behind it. */
export async function requestServer(core: ClientCore, request: ServerRequest): Promise<Params> {
  const { session } = core.ready();
  const { method, params = {}, site } = request;
  try {
    return await requestRounds(session, method, withLogLevel(params, core, session), {
      ...requestTimes(core.timeout),
      caller: core.caller,
    });
  } catch (thrown) {
    throw core.translate(thrown, { site });
  }
}

export interface Listing {
  readonly method: string;
  /** The member of the answer that holds the list. */
  readonly member: string;
  /** Without it the server is not asked: the list is empty. */
  readonly capability: string;
}

/** One of a server's lists, all its pages. */
export async function listFromServer<Item extends object>(
  core: ClientCore,
  listing: Listing,
): Promise<Item[]> {
  const { session } = core.ready();
  const { method, member, capability } = listing;
  if (session.capabilities[capability] === undefined) return [];
  try {
    return await listPages<Item>(
      (params, leftMs) => requestRounds(session, method, params, { ...times(leftMs), caller: core.caller }),
      { serverName: core.serverName, member, timeoutMs: requestTimes(core.timeout).timeoutMs },
    );
  } catch (thrown) {
    throw core.translate(thrown, { site: "list" });
  }
}

const times = (leftMs: number): { timeoutMs: number; totalMs: number } => ({
  timeoutMs: leftMs,
  totalMs: leftMs,
});

/** Refuses what a server has said it cannot do. `feature` is a member of the capability. */
export function requireCapability(core: ClientCore, capability: string, feature?: string): void {
  const declared = core.ready().session.capabilities[capability] as Params | undefined;
  if (declared !== undefined && (feature === undefined || declared[feature])) return;
  const missing = feature === undefined ? capability : `${capability}.${feature}`;
  const message = `server "${core.serverName}" does not offer this: it did not declare the capability "${missing}"`;
  throw core.error("PROTOCOL_ERROR", message, { details: { capability: missing } });
}
