import { readPages } from "../../interop/endpoint/index.ts";
import { ProtocolFault, type ServerSession, type SessionRequestOptions } from "../../interop/index.ts";
import type { Caller, Questions } from "../../runtime/index.ts";
import type { ErrorSite } from "../errors/index.ts";
import type { ClientCore } from "./client-core.ts";
import { requestTimes } from "./client-timeouts.ts";

type Params = { readonly [member: string]: unknown };

/** A capability that the server must have declared; with `feature`, also that member of it. */
export interface NeededCapability {
  readonly capability: string;
  readonly feature?: string;
}

export interface ServerRequest {
  readonly method: string;
  readonly params?: Params;
  readonly site: ErrorSite;
  readonly needs?: NeededCapability;
}

/** Sends one request that is not a tool call, with the client's timeout and its handlers. */
export function requestServer(core: ClientCore, request: ServerRequest): Promise<Params> {
  const { method, params = {}, site, needs } = request;
  return core.use(async ({ session }) => {
    if (needs) requireCapability(core, session, needs);
    try {
      return await requestRounds(session, method, withLogLevel(params, core, session), {
        ...requestTimes(core.timeout),
        caller: core.caller,
      });
    } catch (thrown) {
      throw core.translate(thrown, { site });
    }
  });
}

export interface Listing {
  readonly method: string;
  /** The member of the answer that holds the list. */
  readonly member: string;
  /** Without this capability the server is not asked, and its list is empty. */
  readonly capability: string;
}

const MAX_ITEMS = 20_000;

/** Fetches all pages of one of a server's lists. Items that are not objects are left out. */
export function listFromServer<Item extends object>(core: ClientCore, listing: Listing): Promise<Item[]> {
  const { method, member, capability } = listing;
  return core.use(async ({ session }) => {
    if (session.capabilities[capability] === undefined) return [];
    const items: Item[] = [];
    try {
      await readPages(
        (params, remainingMs) =>
          requestRounds(session, method, params, {
            timeoutMs: remainingMs,
            totalMs: remainingMs,
            caller: core.caller,
          }),
        {
          server: core.serverName,
          method,
          member,
          timeoutMs: requestTimes(core.timeout).timeoutMs,
          onPage: (page) => {
            const objects = page.filter((item) => typeof item === "object" && item !== null) as Item[];
            items.push(...objects.slice(0, MAX_ITEMS - items.length));
            return items.length < MAX_ITEMS;
          },
        },
      );
      return items;
    } catch (thrown) {
      throw core.translate(thrown, { site: "list" });
    }
  });
}

/** Throws if the server did not declare a capability. */
export function requireCapability(core: ClientCore, session: ServerSession, needs: NeededCapability): void {
  const { capability, feature } = needs;
  const declared = session.capabilities[capability] as Params | undefined;
  if (declared !== undefined && (feature === undefined || declared[feature])) return;
  const missing = feature === undefined ? capability : `${capability}.${feature}`;
  const message = `server "${core.serverName}" does not support this: it did not declare the capability "${missing}"`;
  throw core.error("PROTOCOL_ERROR", message, { details: { capability: missing } });
}

const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

/** The `_meta` of a request. A modern server logs only for requests that name a level. */
export function metaOf(core: ClientCore, session: ServerSession, meta?: Params): Params | undefined {
  const wantsLogs = session.era === "modern" && core.wantsLogs && core.handlers.logger !== undefined;
  return wantsLogs ? { ...meta, [LOG_LEVEL]: core.logLevel ?? "info" } : meta;
}

function withLogLevel(params: Params, core: ClientCore, session: ServerSession): Params {
  const meta = metaOf(core, session);
  return meta ? { ...params, _meta: meta } : params;
}

/** The most rounds of questions in one request. */
const MAX_ROUNDS = 10;

/**
 * Sends a request until the server has no more questions. A modern server asks by answering with questions, and gets
 * the request again with the answers. A legacy server sends its questions as requests of their own.
 */
async function requestRounds(
  session: ServerSession,
  method: string,
  params: Params,
  options: SessionRequestOptions & { readonly caller: Caller },
): Promise<Params> {
  let sent = params;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = (await session.request(method, sent, options)) as Params;
    if (answer["resultType"] !== "input_required") return answer;
    const { inputRequests = {}, requestState } = answer as {
      readonly inputRequests?: Questions;
      readonly requestState?: unknown;
    };
    const inputResponses = (await options.caller.ask?.(inputRequests, options.signal)) ?? {};
    sent = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }
  throw new ProtocolFault(
    "protocol",
    `the server answered ${method} with questions more than ${MAX_ROUNDS} times`,
  );
}
