import { Listeners } from "indusagi/core";
import type {
  BoxSource,
  ClientObserver,
  HostClient,
  HttpListenerStats,
  ProtocolEra,
  ProviderHost,
} from "indusagi/interop";
import type { ToolDescriptor } from "indusagi/llm";
import type { ClientInfo, ToolBox } from "indusagi/runtime";
import type { RowProblem } from "../../servers/find/index.ts";
import type { OpenServers } from "../../servers/open/index.ts";
import type { StatusBox, TokenAccess, ToolsMode } from "../index.ts";
import { type CallObserver, type ListingCost, listingCost, type Route, routePath } from "../index.ts";
import type { LiveProfiles } from "../routes/profiles.ts";
import { routeView } from "../routes/route-view.ts";

/** One client of a gateway. */
export interface GatewayClient {
  /** Its calls have it as their session. */
  readonly key: string;
  readonly principal: string | undefined;
  readonly client: ClientInfo | undefined;
  readonly era: ProtocolEra;
  readonly route: Route;
  /** Milliseconds since 1970: when it connected or, without a connection, when it first listed the tools. */
  readonly sinceMs: number;
  /** Whether it has a connection or a session. Otherwise it is known by its requests only. */
  readonly isConnected: boolean;
}

/** What a client of a gateway sees, and what that costs a model. */
interface SeenTools extends ListingCost {
  /** The servers of these tools. */
  readonly servers: readonly string[];
}

/** What can be seen of a serving gateway from inside its process. Nothing of it costs anything until it is asked for. */
export interface GatewayView {
  /** Calls the listener with each call that has ended, and with its arguments, whose values must not be stored. */
  onCall(listener: CallObserver): () => void;
  clients(): readonly GatewayClient[];
  onClients(listener: () => void): () => void;
  /** The tools of a principal at a route. */
  seen(principal: string | undefined, route: Route): SeenTools;
  /** A host for a client in this process, with what a client without a token gets at a route. It is not among the clients. */
  host(route: Route): ProviderHost;
  /** Undefined before it listens, and over stdio. */
  stats(): HttpListenerStats | undefined;
  rowProblems(): readonly RowProblem[];
}

const MAX_CLIENTS = 1_000;

/** The clients that are connected now, and those without a connection that listed tools. */
export class ClientTable {
  readonly #clients = new Map<string, GatewayClient>();
  readonly #changes = new Listeners();

  /** An observer of a route's host that passes everything on to another one. */
  observing(route: Route, observer: ClientObserver): ClientObserver {
    return {
      ...observer,
      connected: (client) => {
        this.#note(client, route, true);
        observer.connected?.(client);
      },
      disconnected: (client) => {
        this.#clients.delete(keyOf(client, route));
        this.#changes.emit();
        observer.disconnected?.(client);
      },
    };
  }

  /** A client lists tools for the first time. */
  listing(client: HostClient, route: Route): void {
    if (!this.#clients.has(keyOf(client, route))) this.#note(client, route, false);
  }

  all(): readonly GatewayClient[] {
    return [...this.#clients.values()];
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  #note(given: HostClient, route: Route, isConnected: boolean): void {
    const { key, principal, client, era } = given;
    const entry = { key, principal, client, era, route, sinceMs: Date.now(), isConnected };
    this.#clients.set(keyOf(given, route), entry);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MAX_CLIENTS && oldest !== undefined) this.#clients.delete(oldest);
    this.#changes.emit();
  }
}

/** Each request of a client without a connection and a principal has another key. */
function keyOf({ key, isSingle, client }: HostClient, route: Route): string {
  return `${routePath(route)} ${isSingle ? `${client?.name ?? ""}/${client?.version ?? ""}` : key}`;
}

interface SeenParts {
  readonly servers: OpenServers;
  readonly profiles: LiveProfiles;
  readonly gated: { readonly plain: ToolBox };
  readonly status: StatusBox;
  readonly access: TokenAccess | undefined;
  readonly listing: ToolsMode;
}

/** Returns a function that finds what a principal sees at a route. The boxes are made when they are first asked for. */
export function seenByClients(parts: SeenParts): GatewayView["seen"] {
  const { servers, access, gated, status, profiles, listing } = parts;
  const sources = new Map<string, BoxSource>();
  const sourceAt = (route: Route): BoxSource => {
    const path = routePath(route);
    const box = (): ToolBox => routeView(gated.plain, route, parts);
    const live = { status, onRows: (listener: () => void) => servers.onRows(listener) };
    const source = sources.get(path) ?? access?.boxes(box(), (each) => each, live) ?? box();
    sources.set(path, source);
    return source;
  };
  const modeAt = (route: Route, principal: string | undefined): ToolsMode => {
    if (route.kind === "server") return "all";
    const ofProfile = route.kind === "profile" ? profiles.find(route.name)?.listing : undefined;
    return access?.listing(principal) ?? ofProfile ?? listing;
  };
  return (principal, route) => {
    const source = sourceAt(route);
    const client = { key: "console", era: "modern", ...(principal !== undefined && { principal }) } as const;
    const box = typeof source === "function" ? source(client) : source;
    return seenTools(box, modeAt(route, principal));
  };
}

/** Estimating many tools takes a while, so it is done once for each list of them. */
function seenTools(box: ToolBox, mode: ListingCost["mode"]): SeenTools {
  const tools = box.descriptors();
  const known = seen.get(tools)?.get(mode);
  if (known) return known;
  const servers = [...new Set(tools.flatMap(({ origin }) => origin?.server ?? []))];
  const made = { ...listingCost(box, mode), servers };
  const byMode = seen.get(tools) ?? new Map<string, SeenTools>();
  byMode.set(mode, made);
  seen.set(tools, byMode);
  return made;
}

const seen = new WeakMap<readonly ToolDescriptor[], Map<string, SeenTools>>();
