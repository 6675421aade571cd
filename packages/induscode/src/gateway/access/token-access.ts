import { type BoxSource, type HostClient, ProtocolFault, type Relay } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import { createTableBox, faultOutcome, layerBox, type ToolBox, viewBox } from "indusagi/runtime";
import type { ToolsMode } from "../offered-box.ts";
import { STATUS_TOOL, type StatusBox } from "../status-box.ts";
import { wrapRequests } from "../wrap-requests.ts";
import { type Granted, grantedBy } from "./granted-tools.ts";
import { OWNER, tokenIn } from "./principal.ts";
import type { TokenRecord } from "./token-record.ts";
import type { TokenStore } from "./token-store.ts";

/** Makes what clients are offered of a box. `mode` is the one of their token, if it has one. */
export type OfferBox = (box: ToolBox, mode: ToolsMode | undefined) => BoxSource;

/** Which servers need attention: a token is told only about its own. */
type Status = Pick<StatusBox, "concerns" | "onConcern">;

/** What changes the tools of a token, besides the box. */
interface LiveAccess {
  readonly status: Status;
  /** Calls the listener when other servers are configured: then a token may allow other tools. */
  readonly onRows: (listener: () => void) => unknown;
}

/** What each principal of a gateway may use. One for all its routes, so limits hold for all together. */
export interface TokenAccess {
  /** The tools that each client may use. Clients without a token, and the owner, may use all. */
  boxes(box: ToolBox, offer: OfferBox, live: LiveAccess): BoxSource;
  /** Whether prompts, resources and routes of a server are there for a principal. */
  allowsServer(principal: string | undefined, server: string): boolean;
  /** Whether a principal may use everything that the gateway offers. */
  allowsAll(principal: string): boolean;
  /** A relay whose requests to servers count against the limits of the tokens. */
  limited(relay: Relay): Relay;
}

interface Grant extends Granted {
  readonly record: TokenRecord;
  readonly calls?: RunningCalls;
}

/** A principal without a record: its token was revoked a moment ago. */
const NOTHING: ToolBox = createTableBox().box;

/** `approved`: the ids of the approved servers, see `grantedBy`. */
export function tokenAccess(
  tokens: Pick<TokenStore, "find">,
  approved: () => readonly string[],
): TokenAccess {
  const grants = new Map<string, Grant>();
  const isUnlimited = (principal: string | undefined): principal is Unlimited =>
    principal === undefined || principal === OWNER;
  const grantOf = (principal: string): Grant | undefined => {
    const { id } = tokenIn(principal);
    const record = id === undefined ? undefined : recordOf(tokens, id);
    if (!record) return void grants.delete(principal);
    const known = grants.get(principal);
    if (known) return known;
    const { name, calls } = record;
    const grant = {
      ...grantedBy(record, approved),
      record,
      ...(calls === undefined ? {} : { calls: runningCalls(name, calls) }),
    };
    grants.set(principal, grant);
    return grant;
  };
  return {
    allowsAll: (principal) => isUnlimited(principal) || grantOf(principal)?.isWhole === true,
    limited: (relay) =>
      limitRequests(relay, (principal) => (isUnlimited(principal) ? undefined : grantOf(principal)?.calls)),
    allowsServer: (principal, server) =>
      isUnlimited(principal) || grantOf(principal)?.server(server) === true,
    boxes: (box, offer, live) => {
      const whole = offer(box, undefined);
      const byGrant = new WeakMap<Grant, BoxSource>();
      const sourceOf = (grant: Grant): BoxSource => {
        const source = byGrant.get(grant) ?? offer(grantedBox(box, grant, live), grant.record.listing);
        byGrant.set(grant, source);
        return source;
      };
      return (client) => {
        if (isUnlimited(client.principal)) return chosen(whole, client);
        const grant = grantOf(client.principal);
        return grant ? chosen(sourceOf(grant), client) : NOTHING;
      };
    },
  };
}

/** The owner, or a client without a token. */
type Unlimited = typeof OWNER | undefined;

function chosen(source: BoxSource, client: HostClient): ToolBox {
  return typeof source === "function" ? source(client) : source;
}

/** A file that cannot be used allows nothing; its problem is reported where tokens are checked. */
function recordOf(tokens: Pick<TokenStore, "find">, id: string): TokenRecord | undefined {
  try {
    return tokens.find(id);
  } catch {
    return undefined;
  }
}

/** The tools of a grant. Why another tool is refused, for example because it has changed, is not told either. */
function grantedBox(box: ToolBox, { tool, server, calls }: Grant, { status, onRows }: LiveAccess): ToolBox {
  const refusalOf: ToolBox["refusalOf"] = (name) => {
    const refusal = box.refusalOf?.(name);
    const owner = refusal?.fault.server;
    return owner !== undefined && server(owner) ? refusal : undefined;
  };
  const isOffered = (each: ToolDescriptor): boolean =>
    each.name === STATUS_TOOL && !each.origin ? status.concerns(server) : tool(each);
  const filtered = viewBox(box, {
    show: (each) => (isOffered(each) ? each : undefined),
    onShowChange: (listener) => {
      status.onConcern(listener);
      onRows(listener);
    },
    refusalOf,
  });
  return calls ? limitCalls(filtered, calls) : filtered;
}

/** Counts the running calls of one token: of tools, and requests to servers for resources and prompts. */
interface RunningCalls {
  /** Counts one call; the returned function ends it. Undefined if the token is at its limit. */
  begin(): (() => void) | undefined;
  /** Why a call beyond the limit is refused. */
  readonly refusal: string;
}

function runningCalls(name: string, most: number): RunningCalls {
  let running = 0;
  return {
    refusal: `token ${name} may run ${most} ${most === 1 ? "call" : "calls"} at the same time; try again when one has ended`,
    begin: () => {
      if (running >= most) return undefined;
      running += 1;
      return () => void (running -= 1);
    },
  };
}

/** A box that refuses a call beyond the limit at once: a queue would hide from the client why it waits. */
function limitCalls(box: ToolBox, running: RunningCalls): ToolBox {
  return layerBox(box, {
    call: (tool) => async (call, signal, caller) => {
      const end = running.begin();
      if (!end)
        return faultOutcome(call.id, running.refusal, {
          kind: "tool_error",
          reason: "policy",
          retrySafe: true,
        });
      try {
        return await tool.run(call, signal, caller);
      } finally {
        end();
      }
    },
  });
}

/** A relay that limits requests to servers in the same way. `runningOf`: the calls of a principal, if it has a limit. */
function limitRequests(
  relay: Relay,
  runningOf: (principal: string | undefined) => RunningCalls | undefined,
): Relay {
  return wrapRequests(relay, async ({ server, options }, send) => {
    const running = runningOf(options.caller?.principal);
    const end = running?.begin();
    if (running && !end)
      throw new ProtocolFault("protocol", running.refusal, { server, reason: "policy", retrySafe: true });
    try {
      return await send();
    } finally {
      end?.();
    }
  });
}
