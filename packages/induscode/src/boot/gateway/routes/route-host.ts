import {
  type ClientLink,
  createProviderHost,
  type FleetRelay,
  type HostClient,
  type HostIntroduction,
  type ProviderHost,
} from "indusagi/interop";
import type { Caller, ClientInfo, ToolBox } from "indusagi/runtime";
import type {
  CallObserver,
  OfferBox,
  Previews,
  Route,
  StatusBox,
  TokenAccess,
  ToolsMode,
} from "../../../gateway/index.ts";
import { firstOf } from "../../first-of.ts";
import { productVersion } from "../../product-version.ts";
import type { OpenServers } from "../../servers/open-servers.ts";
import { instructionDigest } from "../gateway-instructions.ts";
import type { LiveProfiles } from "./live-profiles.ts";
import { routeBox } from "./route-box.ts";
import { routeIntroduction } from "./route-introduction.ts";
import { routeScope } from "./route-view.ts";

/** What all routes of a gateway are made of. */
export interface RouteParts {
  readonly servers: OpenServers;
  readonly profiles: LiveProfiles;
  readonly relay: FleetRelay;
  /** Our own tools and those of the servers behind the gate, which knows tools as their servers do. */
  readonly gated: ToolBox;
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
  readonly status: StatusBox;
  readonly allows: (caller: Caller | undefined, server: string) => boolean;
  /** How tools are listed where nothing else says it. */
  readonly listing: ToolsMode;
  /** Starts the servers; resolves when they are being started. */
  readonly begun: () => Promise<void>;
  /** How long a client waits for servers whose tools are not known. */
  readonly patienceMs: (client?: ClientInfo) => number;
  readonly observe: CallObserver;
  /** Previews of large results. Absent: every result is sent whole. */
  readonly previews: Previews | undefined;
  /** Learns about the clients of all routes. */
  readonly clients: Pick<ClientLink, "observer" | "observerOf">;
  /** Called when a client with a connection has been sent its first list of tools. */
  readonly onFirstList: () => void;
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

/** While servers start, clients are told about new tools at most once in this time. */
const CHANGES_MS = 2_000;

/** Returns a function that makes the host of a route. */
export function routeHostMaker(all: RouteParts): (route: Route) => ProviderHost {
  const { servers, relay, report } = all;
  // The route of one server shows resources under their own names.
  const relayed = relay.relayedBox(all.gated);
  return (route) => {
    // It is that server, and nothing else.
    const isServer = route.kind === "server";
    const parts = isServer ? { ...all, previews: undefined } : all;
    const known = knownOn(route, parts);
    const box = isServer ? parts.gated : relayed;
    const scope = routeScope(route, parts);
    const info = {
      name: "indus",
      title: "Indus",
      version: productVersion(),
      instructions: instructionDigest(servers, scope.keeps),
    };
    const relayedItems = relay.clientProviders(scope);
    const providers = parts.previews?.withResults(relayedItems) ?? relayedItems;
    return createProviderHost(offeredOn(route, box, parts), info, providers, {
      report,
      // What is refused there is refused of that server alone.
      listsAsReceived: isServer,
      beforeFirstListing: ({ client }: HostClient) => known(client),
      afterFirstListing: parts.onFirstList,
      clients: isServer ? parts.clients.observer : parts.clients.observerOf(relay.shownQuestions),
      ...(isServer && { introduction: () => introducedAs(route, parts) }),
    });
  };
}

/** Returns a function that waits, within the patience, until the tools of a route are known. */
function knownOn(
  route: Route,
  { servers, begun, patienceMs, signal }: RouteParts,
): (client?: ClientInfo) => Promise<void> {
  return async (client) => {
    await begun();
    const known = route.kind === "server" ? servers.learnedOf(route.id) : servers.learned;
    await firstOf([known], { signal, waitMs: patienceMs(client) });
  };
}

function offeredOn(route: Route, box: ToolBox, parts: RouteParts): ReturnType<OfferBox> {
  const { servers, access, status, patienceMs } = parts;
  const until = route.kind === "server" ? servers.learnedOf(route.id) : servers.learned;
  const options = {
    ...parts,
    patience: { until, waitMs: patienceMs() },
    pace: { intervalMs: CHANGES_MS, from: servers.begun, until: servers.settled },
  };
  const offer: OfferBox = (each, mode) => routeBox(each, route, { ...options, tokenListing: mode });
  if (!access) return offer(box, undefined);
  return access.boxes(box, offer, { status, onRows: (listener) => servers.onRows(listener) });
}

/** What a server can do is said once, so that a client waits for the first start of an unknown server. */
async function introducedAs(route: Route, parts: RouteParts): Promise<HostIntroduction | undefined> {
  const introduced = routeIntroduction(route, parts.servers);
  if (introduced) return introduced;
  await knownOn(route, parts)();
  return routeIntroduction(route, parts.servers);
}
