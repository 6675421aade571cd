import {
  type BoxSource,
  type ClientLink,
  clientBox,
  createProviderHost,
  type ExtensionKey,
  extensionKey,
  type FleetRelay,
  type HostClient,
  type HostIntroduction,
  type HttpRoutes,
  type ProviderHost,
  type ServerConfig,
  showsApps,
  withVariants,
} from "indusagi/interop";
import type { Caller, ClientInfo, ToolBox } from "indusagi/runtime";
import { firstOf, productVersion } from "../../boot/internal.ts";
import { capabilityIds } from "../../deck/catalog/index.ts";
import { canonToolName } from "../../launch/internal.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import { acceptBareAppNames } from "../bare-app-names.ts";
import {
  byExtensions,
  type CallObserver,
  listingWait,
  type OfferBox,
  observedBox,
  offeredBox,
  type PaceOptions,
  type PatientBoxOptions,
  type Previews,
  pacedBox,
  parseRoutePath,
  patientBox,
  type Route,
  routePath,
  type StatusBox,
  type TokenAccess,
  type ToolsMode,
} from "../index.ts";
import type { GatedTools } from "../open/gated-box.ts";
import { instructionDigest } from "../open/gateway-instructions.ts";
import type { ClientTable } from "../open/gateway-view.ts";
import type { LiveProfiles } from "./profiles.ts";
import { type LiveParts, routeScope, routeView } from "./route-view.ts";

/** The parts shared by all routes of a gateway. */
interface RouteParts {
  readonly servers: OpenServers;
  readonly profiles: LiveProfiles;
  readonly relay: FleetRelay;
  /** Native tools and those of the servers, behind the gate. */
  readonly gated: GatedTools;
  /** What each token allows. */
  readonly access: TokenAccess | undefined;
  readonly status: StatusBox;
  readonly allows: (caller: Caller | undefined, server: string) => boolean;
  /** How tools are listed by default. */
  readonly listing: ToolsMode;
  /** Whether searches list the tools that were used last. */
  readonly listsRecent: boolean;
  /** Whether a rule or a filter concerns tools of a server. */
  readonly hasToolRules: (server: string) => boolean;
  /** A longer call becomes a task for a client that follows tasks. Absent: never. */
  readonly taskAfterMs: number | undefined;
  /** Whether clients that show apps may call their tools by bare names. */
  readonly bareAppNames: boolean;
  /** Starts the servers; resolves when they have begun to start. */
  readonly begun: () => Promise<void>;
  /** How long a client waits for servers whose tools are not known. */
  readonly patienceMs: (client?: ClientInfo) => number;
  /** Resolves when the tools of all servers, or of one, need not be waited for any longer. */
  readonly awaited: (server?: string) => Promise<void>;
  readonly observe: CallObserver | undefined;
  /** Absent: every result is sent whole. */
  readonly previews: Previews | undefined;
  /** Of the results of programs, in code mode. */
  readonly programPreviews: Previews;
  /** Observes the clients of all routes. */
  readonly clients: Pick<ClientLink, "observer" | "observerOf">;
  readonly connected: ClientTable;
  /** Called when a connected client was sent its first list of tools. */
  readonly onFirstList: () => void;
  /** The clients are other gateways of ours. */
  readonly link: boolean;
  /** Seals what clients hold. Absent: a key of this process. */
  readonly stateKey: Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly report: (message: string) => void;
}

/** Longer than a call may take, so a client that was away finds the result. */
const TASK_TTL_MS = 3_600_000;

/** While servers start, clients are notified of new tools at most this often. */
const CHANGES_MS = 2_000;

/** Returns a function that creates the host of a route. `isOwn`: for a client of ours, which is not among the clients. */
export function routeHostMaker(all: RouteParts): (route: Route, isOwn?: boolean) => ProviderHost {
  const { servers, relay, report } = all;
  const boxes = classBoxes(all);
  return (route, isOwn = false) => {
    // It shows only that server.
    const isServer = route.kind === "server";
    const parts = isServer ? { ...all, previews: undefined } : all;
    const known = knownOn(route, parts);
    const boxFor = isServer ? boxes.own : boxes.relayed;
    const scope = routeScope(route, parts);
    const observer = isServer ? parts.clients.observer : parts.clients.observerOf(relay.shownQuestions);
    const info = {
      name: "indus",
      title: "Indus",
      version: productVersion(),
      // Over a link a server that has not connected yet has none: a text of ours would count as a change of its own.
      instructions: parts.link ? () => undefined : instructionDigest(servers, scope.keeps),
    };
    const relayedItems = relay.clientProviders(scope);
    const providers = isServer ? relayedItems : parts.programPreviews.withResults(relayedItems);
    return createProviderHost(offeredOn(route, boxFor, parts), info, providers, {
      report,
      link: parts.link,
      stateKey: parts.stateKey,
      listsAsReceived: isServer,
      clientExtensions: isServer ? "all" : "relayed",
      beforeFirstListing: (client) => {
        if (!isOwn) parts.connected.listing(client, route);
        return known(client);
      },
      afterFirstListing: parts.onFirstList,
      // A server's own route has the tasks of that server.
      ...(!isServer &&
        parts.taskAfterMs !== undefined && {
          tasks: { afterMs: parts.taskAfterMs, ttlMs: TASK_TTL_MS },
        }),
      clients: isOwn ? observer : parts.connected.observing(route, observer),
      ...(isServer && { introduction: () => introducedAs(route, parts) }),
    });
  };
}

/** The tools for clients with these extensions. */
type BoxFor = (extensions: ExtensionKey) => ToolBox;

/**
 * The tools of all servers for clients with each set of extensions: as clients of many servers get them, and as a server's own route
 * shows them, with resources under their own names. Each box is made once, for all routes.
 */
function classBoxes({ servers, relay, gated }: RouteParts): Readonly<Record<"own" | "relayed", BoxFor>> {
  const made = (layer: (box: ToolBox) => ToolBox): BoxFor => {
    const plain = layer(gated.plain);
    const boxes = new Map<ExtensionKey, ToolBox>([["", plain]]);
    return (extensions) => {
      const box =
        boxes.get(extensions) ??
        withVariants(plain, layer(gated.variants(extensions)), { fleet: servers.fleet, extensions });
      boxes.set(extensions, box);
      return box;
    };
  };
  return { own: made((box) => box), relayed: made((box) => relay.relayedBox(box)) };
}

/** Returns a function that waits until the tools for a client of a route are known, or its patience is over. */
function knownOn(
  route: Route,
  { begun, awaited, patienceMs, signal, servers }: RouteParts,
): (client?: Pick<HostClient, "client" | "extensions">) => Promise<void> {
  return async ({ client, extensions } = {}) => {
    await begun();
    const known = awaited(route.kind === "server" ? route.id : undefined);
    const key = extensionKey(extensions);
    const all = key === "" ? known : Promise.all([known, servers.fleet.listFor(key)]);
    await firstOf([all], { signal, waitMs: patienceMs(client) });
  };
}

function offeredOn(route: Route, boxFor: BoxFor, parts: RouteParts): BoxSource {
  return byExtensions((extensions) => offeredTo(extensions, route, boxFor, parts));
}

/** `extensions`: what the clients declared. */
function offeredTo(
  extensions: HostClient["extensions"],
  route: Route,
  boxFor: BoxFor,
  parts: RouteParts,
): BoxSource {
  const { servers, access, status, patienceMs, bareAppNames } = parts;
  const key = extensionKey(extensions);
  const box = boxFor(key);
  // A server's own route shows its tools as they are.
  const isServer = route.kind === "server";
  const shown = isServer ? box : clientBox(box, extensions);
  const until = isServer ? servers.learnedOf(route.id) : servers.learned;
  const options = {
    ...parts,
    bareAppNames: bareAppNames && !isServer && showsApps(extensions),
    patience: {
      until: key === "" ? until : Promise.all([until, servers.fleet.listFor(key)]),
      waitMs: patienceMs(),
      onListed: (listener: () => void) => servers.onListed(listener),
    },
    pace: { intervalMs: CHANGES_MS, from: servers.begun, until: servers.settled },
  };
  const offer: OfferBox = (each, mode) => routeBox(each, route, { ...options, tokenListing: mode });
  if (!access) return offer(shown, undefined);
  return access.boxes(shown, offer, { status, onRows: (listener) => servers.onRows(listener) });
}

interface RouteBoxOptions
  extends Pick<
    RouteParts,
    | "servers"
    | "profiles"
    | "listing"
    | "listsRecent"
    | "observe"
    | "previews"
    | "programPreviews"
    | "bareAppNames"
  > {
  /** How a call waits for a tool that is not listed yet. */
  readonly patience: PatientBoxOptions;
  /** How often clients are notified of changes while servers start. */
  readonly pace: PaceOptions;
  /** The token's listing mode, if it has one. */
  readonly tokenListing: ToolsMode | undefined;
}

/** The tools of a box that the clients of a route are offered. */
function routeBox(box: ToolBox, route: Route, options: RouteBoxOptions): BoxSource {
  const { patience, pace, listing, tokenListing, profiles, observe, bareAppNames } = options;
  const patient = patientBox(routeView(box, route, options), patience);
  const observed = observe ? observedBox(patient, observe) : patient;
  const whole = bareAppNames ? acceptBareAppNames(observed, isOurName) : observed;
  // Outside the gate, so the policy decides about the tool that is called.
  const offer = (mode: ToolsMode): BoxSource => {
    const previews = mode === "code" ? options.programPreviews : options.previews;
    return offeredBox(whole, {
      mode,
      finish: (each) => pacedBox(previews?.withReader(each) ?? each, pace),
      shorten: (each) => previews?.shorten(each) ?? each,
      listing: listingWait(whole, patience),
      listsRecent: options.listsRecent,
    });
  };
  // A server's definitions stay as they are.
  if (route.kind === "server") return offer("all");
  if (tokenListing) return offer(tokenListing);
  if (route.kind === "profile")
    return followingMode(() => profiles.find(route.name)?.listing ?? listing, offer);
  return offer(listing);
}

/** A hidden tool of ours is not answered by a server's. */
function isOurName(name: string): boolean {
  return capabilityIds().some((id) => canonToolName(id) === canonToolName(name));
}

/** The mode may change; a client keeps the one it started with. */
function followingMode(mode: () => ToolsMode, offer: (mode: ToolsMode) => BoxSource): BoxSource {
  const offers = new Map<ToolsMode, BoxSource>();
  return (client) => {
    const now = mode();
    const offered = offers.get(now) ?? offer(now);
    offers.set(now, offered);
    return typeof offered === "function" ? offered(client) : offered;
  };
}

/** A client learns only once what a server can do, so it waits for the first start of an unknown server. */
async function introducedAs(route: Route, parts: RouteParts): Promise<HostIntroduction | undefined> {
  const introduced = routeIntroduction(route, parts.servers);
  if (introduced) return introduced;
  await knownOn(route, parts)();
  return routeIntroduction(route, parts.servers);
}

/** On a server's own route the gateway presents itself as that server. Undefined for other routes. */
function routeIntroduction(
  route: Route,
  servers: Pick<OpenServers, "introductionOf">,
): HostIntroduction | undefined {
  const said = route.kind === "server" ? servers.introductionOf(route.id) : undefined;
  if (route.kind !== "server" || !said) return undefined;
  const { serverInfo = {}, capabilities, instructions } = said;
  const { name, version, ...others } = serverInfo;
  return {
    capabilities,
    info: {
      // Clients require both, and some servers omit them.
      name: typeof name === "string" ? name : route.id,
      version: typeof version === "string" ? version : "",
      ...others,
      ...(instructions === undefined ? {} : { instructions }),
    },
  };
}

/**
 * The hosts below `/mcp`: one per server and one per profile, all with the same servers. A host is created on the first request,
 * and stays if its server or profile is removed and added again.
 */
export function routeHosts(
  { servers, profiles, access }: LiveParts & { readonly access: TokenAccess | undefined },
  create: (route: Route) => ProviderHost,
): HttpRoutes {
  const hosts = new Map<string, ProviderHost>();
  const isOpen = (server: ServerConfig, principal: string | undefined): boolean =>
    isServed(server) && (access?.allowsServer(principal, server.id) ?? true);
  const exists = (route: Route, principal: string | undefined): boolean => {
    if (route.kind === "profile") return profiles.find(route.name) !== undefined;
    // The listener itself serves it.
    if (route.kind === "all") return false;
    return servers.configs().some((server) => server.id === route.id && isOpen(server, principal));
  };
  return {
    paths: (principal) => [
      ...servers
        .configs()
        .filter((server) => isOpen(server, principal))
        .map(({ id }) => routePath({ kind: "server", id })),
      ...profiles.all().map(({ name }) => routePath({ kind: "profile", name })),
    ],
    find: (asked, principal) => {
      const route = parseRoutePath(asked);
      if (!route || !exists(route, principal)) return undefined;
      const path = routePath(route);
      const host = hosts.get(path) ?? create(route);
      hosts.set(path, host);
      return host;
    },
  };
}

function isServed({ enabled = true, pending = false }: ServerConfig): boolean {
  return enabled && !pending;
}
