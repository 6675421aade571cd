import { type BoxSource, type HostClient, ProtocolFault, type Relay } from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import {
  abortedOutcome,
  createTableBox,
  faultOutcome,
  layerBox,
  type ToolBox,
  viewBox,
} from "indusagi/runtime";
import { wrapRequests } from "../around-calls.ts";
import type { ToolsMode } from "../offered-box.ts";
import { STATUS_TOOL, type StatusBox } from "../status-box.ts";
import type { GatewayTokens } from "./gateway-tokens.ts";
import { type GrantedTools, grantedBy } from "./granted-tools.ts";
import { OWNER, type TokenRecord, tokenIn } from "./token-record.ts";

/** Turns a box into what clients are offered. `mode`: the listing mode of their token, if it has one. */
export type OfferBox = (box: ToolBox, mode: ToolsMode | undefined) => BoxSource;

/** Which servers need attention: a token only learns about its own. */
type Status = Pick<StatusBox, "concerns" | "onConcern">;

/** What else changes the tools of a token, besides the box. */
interface LiveAccess {
  readonly status: Status;
  /** Calls the listener when the configured servers change, and with them what a token allows. */
  readonly onRows: (listener: () => void) => unknown;
}

/** What each principal of a gateway may use. Shared by all routes, so limits apply across them. */
export interface TokenAccess {
  /** The tools that each client may use. Clients without a token, and the owner, may use all. */
  boxes(box: ToolBox, offer: OfferBox, live: LiveAccess): BoxSource;
  /** Whether a principal may use the prompts, resources and route of a server. */
  allowsServer(principal: string | undefined, server: string): boolean;
  /** The same for all its tools: no pattern of the token limits them. */
  allowsWholeServer(principal: string | undefined, server: string): boolean;
  /** Whether a principal may use everything that the gateway offers. */
  allowsAll(principal: string): boolean;
  /** Whether everybody may use what this principal may: it has no token, and there is none. */
  isForAll(principal: string | undefined): boolean;
  /** How the tools are listed for a principal, if its token says so. */
  listing(principal: string | undefined): ToolsMode | undefined;
  /** A relay whose requests to servers count against the tokens' limits. */
  limited(relay: Relay): Relay;
}

interface Grant extends GrantedTools {
  readonly record: TokenRecord;
  readonly calls: RunningCalls | undefined;
}

/** For a principal without a record: its token was just revoked. */
const NOTHING: ToolBox = createTableBox().box;

/** `approved`: the ids of the approved servers, see `grantedBy`. `places`: where calls count that also run at other gateways. */
export function tokenAccess(
  tokens: Pick<GatewayTokens, "find" | "list">,
  approved: () => readonly string[],
  places?: (token: string, most: number) => CallPlaces,
): TokenAccess {
  const grants = new Map<string, Grant>();
  const callsOf = (id: string, name: string, most: number): RunningCalls =>
    places ? sharedCalls(name, most, places(id, most)) : runningCalls(name, most);
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
      calls: calls === undefined ? undefined : callsOf(record.id, name, calls),
    };
    grants.set(principal, grant);
    return grant;
  };
  return {
    allowsAll: (principal) => isUnlimited(principal) || grantOf(principal)?.allowsAll === true,
    isForAll: (principal) => principal === undefined && !hasTokens(tokens),
    listing: (principal) => (isUnlimited(principal) ? undefined : grantOf(principal)?.record.listing),
    limited: (relay) =>
      limitRequests(relay, (principal) => (isUnlimited(principal) ? undefined : grantOf(principal)?.calls)),
    allowsServer: (principal, server) =>
      isUnlimited(principal) || grantOf(principal)?.server(server) === true,
    allowsWholeServer: (principal, server) =>
      isUnlimited(principal) || grantOf(principal)?.wholeServer(server) === true,
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

/** An unusable file allows nothing; the verifier reports it. */
function recordOf(tokens: Pick<GatewayTokens, "find">, id: string): TokenRecord | undefined {
  try {
    return tokens.find(id);
  } catch {
    return undefined;
  }
}

/** An unusable file may have some. */
function hasTokens(tokens: Pick<GatewayTokens, "list">): boolean {
  try {
    return tokens.list().length > 0;
  } catch {
    return true;
  }
}

/** The tools of a grant. Also hides why other tools are refused, for example because they have changed. */
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

/** The places for the running calls of one token: tools, resources and prompts. */
export interface CallPlaces {
  /** Takes a place; the returned function gives it back. Undefined if there is none. */
  begin(): Place | undefined | Promise<Place | undefined>;
}

type Place = () => void;

interface RunningCalls extends CallPlaces {
  /** Takes a place, and waits for it. Rejects if the signal aborts first. */
  turn(signal: AbortSignal | undefined): Promise<Place>;
  /** Why a call beyond the limit is refused. */
  readonly refusal: string;
}

/** How soon whoever waits for a place of all gateways asks again. */
const AGAIN_MS = 50;

/** Counts calls that also run at other gateways. */
function sharedCalls(name: string, most: number, places: CallPlaces): RunningCalls {
  return {
    refusal: refusalOf(name, most),
    begin: () => places.begin(),
    turn: async (signal) => {
      for (;;) {
        signal?.throwIfAborted();
        const end = await places.begin();
        if (end) return end;
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    },
  };
}

function refusalOf(name: string, most: number): string {
  return `token ${name} may run ${most} ${most === 1 ? "call" : "calls"} at the same time; try again when one has finished`;
}

function runningCalls(name: string, most: number): RunningCalls {
  let running = 0;
  const waiting: (() => void)[] = [];
  // Whoever waits takes over the place.
  const end = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
  const begin = (): Place | undefined => {
    if (running >= most) return undefined;
    running += 1;
    return end;
  };
  return {
    refusal: refusalOf(name, most),
    begin,
    turn: (signal) => {
      const begun = begin();
      if (begun) return Promise.resolve(begun);
      return new Promise((resolve, reject) => {
        const go = (): void => {
          signal?.removeEventListener("abort", leave);
          resolve(end);
        };
        const leave = (): void => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal?.reason);
        };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener("abort", leave, { once: true });
        waiting.push(go);
      });
    },
  };
}

/**
 * Refuses calls beyond the limit immediately: with a queue the client would not know why it waits. Calls of a program take turns: it
 * makes several at once without knowing the limit.
 */
function limitCalls(box: ToolBox, running: RunningCalls): ToolBox {
  return layerBox(box, {
    call: (tool) => async (call, signal, caller) => {
      const begun =
        caller?.program === undefined ? running.begin() : running.turn(signal).catch(() => undefined);
      const end = begun instanceof Promise ? await begun : begun;
      if (signal?.aborted && (!end || begun instanceof Promise)) {
        end?.();
        return abortedOutcome(call.id, call.name, false);
      }
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

/** Limits requests to servers in the same way. `runningOf`: the running calls of a principal with a limit. */
function limitRequests(
  relay: Relay,
  runningOf: (principal: string | undefined) => RunningCalls | undefined,
): Relay {
  return wrapRequests(relay, async ({ server, options }, send) => {
    const running = runningOf(options.caller?.principal);
    const end = await running?.begin();
    if (running && !end)
      throw new ProtocolFault("protocol", running.refusal, { server, reason: "policy", retrySafe: true });
    try {
      return await send();
    } finally {
      end?.();
    }
  });
}
