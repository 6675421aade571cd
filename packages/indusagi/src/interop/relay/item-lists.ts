import { createSingleFlight, Listeners, settlesWithin } from "../../core/index.ts";
import { appPagesOf, leftOutLine, publishableItems } from "../content/index.ts";
import type {
  EndpointStatus,
  ItemKind,
  Relay,
  RemoteTool,
  ServerFleet,
  ServerItems,
} from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";

/** A list of a server in the form that clients accept. */
export interface KnownItems extends ServerItems {
  /** As the server sent them. */
  readonly received: ServerItems["items"];
}

export interface ItemListsOptions {
  readonly relay: Relay;
  /** What a server listed in an earlier run. Used until it is listed in this one. */
  readonly lastKnown?: ((server: string, kind: ItemKind) => ServerItems | undefined) | undefined;
  /** Called with problems that no client is told about, one line each. */
  readonly report?: ((message: string) => void) | undefined;
}

export interface AllListsOptions {
  /** The longest wait for servers whose lists are not known yet. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal;
  /** The request's `_meta`, passed on. */
  readonly meta?: { readonly [key: string]: unknown } | undefined;
  /** Ask only this server. Default: all. */
  readonly only?: string | undefined;
  /** Whether the client sees a server: others do not get the `_meta` of its request. Default: it sees all. */
  readonly isVisible?: ((server: string) => boolean) | undefined;
  /** Lists read within this time are not requested again. Default: the lifetime that their server stated, or 0. */
  readonly maxAgeMs?: number;
  /** True if a client gets the lists: it is told when they change. */
  readonly isShown?: boolean;
}

interface Entry {
  list?: KnownItems;
  /** When the server was asked for it. Absent for a list of an earlier run, or if it has changed since. */
  readMs?: number;
  /** When the server last reported a change. */
  changedMs?: number;
  /** What clients got last. */
  shown?: ServerItems["items"];
  /** When the pending request was sent. */
  askedMs?: number;
  /** Its last request failed. */
  hasFailed?: boolean;
}

/** Timeout for one list of one server, even if no client waits for it any more. */
const LIST_MS = 30_000;
/** The longest wait for a server whose list is known, or whose last request failed. */
const AGAIN_MS = 1_500;
/** Changes within this time are reported together. */
const TOGETHER_MS = 100;
const KINDS: readonly ItemKind[] = ["resources", "templates", "prompts"];
/** The lists that a notification reports as changed. */
const CHANGED: { readonly [method: string]: readonly ItemKind[] } = {
  "notifications/prompts/list_changed": ["prompts"],
  "notifications/resources/list_changed": ["resources", "templates"],
};

/** The lists of all servers of a fleet, requested when a client wants them; for servers that do not run, the last known ones. */
export class ItemLists {
  readonly #fleet: ServerFleet;
  readonly #options: ItemListsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #flights = createSingleFlight<string>();
  readonly #changes = new Listeners<ItemKind>();
  readonly #unreported = new Set<ItemKind>();
  /** The kinds that a client has requested. Others are not followed. */
  readonly #followed = new Set<ItemKind>();
  readonly #availabilities = new Map<string, Availability>();
  /** The lists whose left out items were reported. */
  readonly #reported = new Set<string>();
  /** The pages of apps that the tools of each server name, because no list has to contain them. */
  readonly #pages = new Map<string, readonly string[]>();
  #version = 0;

  constructor(fleet: ServerFleet, options: ItemListsOptions) {
    this.#fleet = fleet;
    this.#options = options;
    for (const status of fleet.status().values())
      this.#availabilities.set(status.server, availabilityOf(status));
    for (const { config } of fleet.endpoints()) this.#learnPages(config.id, fleet.catalogue(config.id));
    fleet.onChange(({ server, tools }) => this.#learnPages(server, tools));
    fleet.onStatus((status) => this.#follow(status));
    fleet.onNotification(({ server, notification: { method } }) => {
      for (const kind of CHANGED[method] ?? []) this.#changed(server, kind);
    });
  }

  /** Grows with each change of a list. */
  get version(): number {
    return this.#version;
  }

  /** Calls the listener when a list that clients have has changed. Returns a function that removes the listener. */
  onChange(listener: (kind: ItemKind) => void): () => void {
    return this.#changes.add(listener);
  }

  /** The pages of apps that each server's tools name. */
  get pages(): ReadonlyMap<string, readonly string[]> {
    return this.#pages;
  }

  /** Whether there is a server with this id, running or not. */
  has(server: string): boolean {
    return this.#fleet.endpoint(server) !== undefined;
  }

  /** The known lists of all servers, even those that are down. */
  known(kind: ItemKind): readonly ServerItems[] {
    return this.#fleet.endpoints().flatMap(({ config }) => this.#known(config.id, kind).list ?? []);
  }

  /** The known lists of the servers that can be used. */
  offered(kind: ItemKind): readonly ServerItems[] {
    const statuses = this.#fleet.status();
    return this.known(kind).filter(({ server }) => {
      const status = statuses.get(server);
      return status !== undefined && isOffered(status);
    });
  }

  /**
   * The lists of all servers that can be used. A server that is not ready is not waited for if its list is known, and none is
   * waited for longer than the patience. Rejects only when the signal aborts.
   */
  async all(kind: ItemKind, options: AllListsOptions): Promise<readonly KnownItems[]> {
    this.#followed.add(kind);
    const { only } = options;
    const offered = [...this.#fleet.status().values()].filter(
      (status) => isOffered(status) && (only === undefined || status.server === only),
    );
    return Promise.all(
      offered.map(async (status) => {
        const list = await this.#one(status, kind, options);
        if (options.isShown) this.#entry(status.server, kind).shown = list.received;
        return list;
      }),
    );
  }

  /** The list of a server, and how long ago it was asked for. Undefined unless it is the server's newest. */
  kept(server: string, kind: ItemKind): { readonly list: KnownItems; readonly ageMs: number } | undefined {
    const { list, readMs, hasFailed } = this.#entry(server, kind);
    return list && readMs !== undefined && !hasFailed
      ? { list, ageMs: performance.now() - readMs }
      : undefined;
  }

  /** The review of a list has changed, so the cached list is no longer valid. */
  reviewed(server: string, kind: ItemKind): void {
    const entry = this.#entry(server, kind);
    delete entry.list;
    delete entry.readMs;
    this.#version += 1;
    if (entry.shown) this.#report(kind);
  }

  /** The server reports that a list has changed. It is requested again when a client wants it; until then the old one is used. */
  #changed(server: string, kind: ItemKind): void {
    const entry = this.#entry(server, kind);
    delete entry.readMs;
    entry.changedMs = performance.now();
    this.#report(kind);
  }

  async #one(status: EndpointStatus, kind: ItemKind, options: AllListsOptions): Promise<KnownItems> {
    const { patienceMs, signal, isVisible = () => true } = options;
    const { server } = status;
    const meta = isVisible(server) ? options.meta : undefined;
    const { list: known, readMs = Number.NEGATIVE_INFINITY } = this.#known(server, kind);
    const maxAgeMs = options.maxAgeMs ?? known?.hint?.ttlMs ?? 0;
    const isFresh = performance.now() - readMs <= maxAgeMs;
    if (known && (isFresh || availabilityOf(status) === "later")) return known;
    let answer: KnownItems | undefined;
    const asking = this.#ask(server, kind, meta).then((list) => (answer = list));
    await settlesWithin(asking, this.#waitMs(server, kind, patienceMs), { signal });
    signal?.throwIfAborted();
    if (answer && !answer.fault) return answer;
    return known ?? answer ?? { server, items: [], received: [] };
  }

  /** Each request to a server is waited for once: a server that hangs must not delay every list. */
  #waitMs(server: string, kind: ItemKind, patienceMs: number): number {
    const { list, hasFailed, askedMs = performance.now() } = this.#entry(server, kind);
    const longestMs = list || hasFailed ? Math.min(AGAIN_MS, patienceMs) : patienceMs;
    return Math.max(0, askedMs + longestMs - performance.now());
  }

  /** Concurrent requests for one list are shared, unless a request has a `_meta` to pass on. */
  #ask(server: string, kind: ItemKind, meta: AllListsOptions["meta"]): Promise<KnownItems> {
    const entry = this.#entry(server, kind);
    const send = async (): Promise<KnownItems> => {
      const askedMs = performance.now();
      entry.askedMs = askedMs;
      const asked = { servers: [server], timeoutMs: LIST_MS, ...(meta && { meta }) };
      const [list = { server, items: [] }] = await this.#options.relay.list(kind, asked);
      delete entry.askedMs;
      entry.hasFailed = list.fault !== undefined;
      return this.#learn(kind, list, askedMs);
    };
    return meta ? send() : this.#flights.run(`${kind} ${server}`, send);
  }

  #learn(kind: ItemKind, answer: ServerItems, askedMs: number): KnownItems {
    const list = this.#publishable(kind, answer);
    if (list.fault || !this.#fleet.endpoint(list.server)) return list;
    const entry = this.#entry(list.server, kind);
    entry.list = list;
    // A change that was reported meanwhile may not be in it.
    if (askedMs > (entry.changedMs ?? Number.NEGATIVE_INFINITY)) entry.readMs = askedMs;
    this.#version += 1;
    if (entry.shown && !isSameDefinition(entry.shown, list.received)) this.#report(kind);
    return list;
  }

  #learnPages(server: string, tools: readonly RemoteTool[]): void {
    const pages = tools.flatMap(appPagesOf);
    const before = this.#pages.get(server) ?? [];
    if (pages.length === before.length && pages.every((page, at) => page === before[at])) return;
    if (pages.length > 0) this.#pages.set(server, pages);
    else this.#pages.delete(server);
    this.#version += 1;
  }

  #publishable(kind: ItemKind, list: ServerItems): KnownItems {
    const { items, leftOut } = publishableItems(kind, list.items);
    const line = leftOutLine(kind, leftOut);
    const key = `${kind} ${list.server}`;
    // Once per list, however often it changes.
    if (line !== undefined && !this.#reported.has(key)) {
      this.#reported.add(key);
      this.#options.report?.(`server "${list.server}": ${line}`);
    }
    return { ...list, items, received: list.items };
  }

  #known(server: string, kind: ItemKind): Entry {
    const entry = this.#entry(server, kind);
    if (entry.list) return entry;
    const list = this.#options.lastKnown?.(server, kind);
    if (!list) return entry;
    entry.list = this.#publishable(kind, list);
    this.#version += 1;
    return entry;
  }

  #entry(server: string, kind: ItemKind): Entry {
    const key = `${kind} ${server}`;
    const entry = this.#entries.get(key) ?? {};
    this.#entries.set(key, entry);
    return entry;
  }

  /** A server that becomes ready may list other things than before; one that is refused or removed offers nothing. */
  #follow(status: EndpointStatus): void {
    const { server } = status;
    if (!this.#fleet.endpoint(server)) return this.#forget(server);
    const now = availabilityOf(status);
    const before = this.#availabilities.get(server) ?? "none";
    if (now === before) return;
    this.#availabilities.set(server, now);
    this.#version += 1;
    for (const kind of KINDS) {
      const entry = this.#entry(server, kind);
      if (now === "live") delete entry.readMs;
      const isShown = (entry.shown?.length ?? 0) > 0;
      const isBack = before === "none" && (entry.list?.items.length ?? 0) > 0;
      if (now === "none" ? isShown : isBack) this.#report(kind);
      if (now === "none" && isShown) entry.shown = [];
      if (now === "live" && this.#followed.has(kind)) this.#refresh(server, kind);
    }
  }

  #forget(server: string): void {
    this.#availabilities.delete(server);
    this.#version += 1;
    for (const kind of KINDS) {
      if ((this.#entry(server, kind).shown?.length ?? 0) > 0) this.#report(kind);
      this.#entries.delete(`${kind} ${server}`);
      this.#reported.delete(`${kind} ${server}`);
    }
  }

  #refresh(server: string, kind: ItemKind): void {
    // A list that no client has yet counts as empty: any item is a change.
    this.#entry(server, kind).shown ??= [];
    void this.#ask(server, kind, undefined).catch(() => {});
  }

  #report(kind: ItemKind): void {
    if (this.#unreported.has(kind)) return;
    this.#unreported.add(kind);
    setTimeout(() => {
      this.#unreported.delete(kind);
      this.#changes.emit(kind);
    }, TOGETHER_MS).unref();
  }
}

function isOffered(status: EndpointStatus): boolean {
  return availabilityOf(status) !== "none";
}

/**
 * Whether the items of a server are offered: `live`, its lists can be requested; `later`, it is not running now, and its last
 * known lists stay in use; `none`, its calls are refused, so nothing is offered.
 */
export type Availability = "live" | "later" | "none";

export function availabilityOf({ phase, state }: EndpointStatus): Availability {
  switch (state) {
    case "tripped":
    case "needs_login":
    case "untrusted":
    case "disabled":
      return "none";
    case "dormant":
    case "queued":
    case "installing":
    case "restarting":
      return "later";
    case "slow":
    case undefined:
      if (phase === "ready") return "live";
      return phase === "faulted" ? "none" : "later";
    default:
      return state satisfies never; // A new state must decide.
  }
}
