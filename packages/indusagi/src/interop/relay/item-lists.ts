import { createSingleFlight, Listeners, settlesWithin } from "../../core/index.ts";
import { appPagesOf, EXTENSION_KEYS, leftOutLine, publishableItems, sharedKey } from "../content/index.ts";
import {
  type EndpointStatus,
  type ExtensionKey,
  type ItemKind,
  isUsablePhase,
  type Relay,
  type RemoteTool,
  type ServerFleet,
  type ServerItems,
} from "../contract/index.ts";
import { isSameDefinition } from "../endpoint/index.ts";
import type { DeclaredCapabilities } from "./missing-capability.ts";

/** A list of a server in the form that clients accept. */
export interface KnownItems extends ServerItems {
  /** As the server sent them. */
  readonly received: ServerItems["items"];
}

/** What a server listed in an earlier run. `extensions`: for clients that declared these; empty for all others. */
export type LastKnownItems = (
  server: string,
  kind: ItemKind,
  extensions: ExtensionKey,
) => ServerItems | undefined;

export interface ItemListsOptions {
  readonly relay: Relay;
  /** What a server listed in an earlier run. Used until it is listed in this one. */
  readonly lastKnown?: LastKnownItems | undefined;
  /** What each server declared; undefined if that is not known yet. */
  readonly declared: () => DeclaredCapabilities;
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
  /** The client's extensions: it gets the lists that servers make for such clients. Default: none. */
  readonly extensions?: ExtensionKey | undefined;
}

/** A list of a server. `extensions`: for clients with these, as the server sees them; empty for all others. */
interface Wanted {
  readonly server: string;
  readonly kind: ItemKind;
  readonly extensions: ExtensionKey;
}

/** Neither a kind nor an extension has a line break. */
function keyOf({ server, kind, extensions }: Wanted): string {
  return `${kind}\n${extensions}\n${server}`;
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
  readonly #pages = new Map<string, Map<ExtensionKey, readonly string[]>>();
  #version = 0;

  constructor(fleet: ServerFleet, options: ItemListsOptions) {
    this.#fleet = fleet;
    this.#options = options;
    for (const status of fleet.status().values())
      this.#availabilities.set(status.server, availabilityOf(status));
    for (const { config } of fleet.endpoints()) this.#learnPages(config.id, fleet.catalogue(config.id));
    fleet.onChange(({ server, tools, extensions }) => this.#learnPages(server, tools, extensions));
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
  *pages(): Iterable<readonly [server: string, pages: readonly string[]]> {
    for (const [server, lists] of this.#pages) for (const pages of lists.values()) yield [server, pages];
  }

  /** What a server's lists for a client depend on: the extensions that both declared. A legacy server has one list for all. */
  classOf(server: string, extensions: ExtensionKey = ""): ExtensionKey {
    if (extensions === "") return "";
    const endpoint = this.#fleet.endpoint(server);
    if (endpoint && isUsablePhase(endpoint.phase)) return endpoint.listedFor(extensions);
    for (const [id, capabilities] of this.#options.declared())
      if (id === server) return sharedKey(extensions, capabilities);
    return "";
  }

  /** Whether there is a server with this id, running or not. */
  has(server: string): boolean {
    return this.#fleet.endpoint(server) !== undefined;
  }

  /** The known lists of all servers, even those that are down, for all clients: names do not depend on who asks. */
  known(kind: ItemKind): readonly ServerItems[] {
    return this.#fleet.endpoints().flatMap(({ config: { id } }) => {
      const plain = this.#known({ server: id, kind, extensions: "" }).list ?? [];
      const others = EXTENSION_KEYS.flatMap(
        (extensions) => this.#entries.get(keyOf({ server: id, kind, extensions }))?.list ?? [],
      );
      return others.length === 0 ? plain : [plain, others].flat();
    });
  }

  /** The known lists of the servers that can be used, for a client with these extensions. */
  offered(kind: ItemKind, extensions?: ExtensionKey): readonly ServerItems[] {
    const offered = [...this.#fleet.status().values()].filter(isOffered);
    return offered.flatMap(({ server }) => {
      const own = this.#known({ server, kind, extensions: this.classOf(server, extensions) }).list;
      return own ?? this.#known({ server, kind, extensions: "" }).list ?? [];
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
        const { server } = status;
        const wanted = { server, kind, extensions: this.classOf(server, options.extensions) };
        const list = await this.#one(status, wanted, options);
        if (options.isShown) this.#entry(wanted).shown = list.received;
        return list;
      }),
    );
  }

  /** The list of a server, and how long ago it was asked for. Undefined unless it is the server's newest. */
  kept(
    server: string,
    kind: ItemKind,
    extensions?: ExtensionKey,
  ): { readonly list: KnownItems; readonly ageMs: number } | undefined {
    const wanted = { server, kind, extensions: this.classOf(server, extensions) };
    const { list, readMs, hasFailed } = this.#entry(wanted);
    return list && readMs !== undefined && !hasFailed
      ? { list, ageMs: performance.now() - readMs }
      : undefined;
  }

  /** The review of a list has changed, so the cached list is no longer valid. */
  reviewed(server: string, kind: ItemKind): void {
    this.#version += 1;
    for (const entry of this.#entriesOf(server, kind)) {
      delete entry.list;
      delete entry.readMs;
      if (entry.shown) this.#report(kind);
    }
  }

  /** The server reports that a list has changed. It is requested again when a client wants it; until then the old one is used. */
  #changed(server: string, kind: ItemKind): void {
    for (const entry of this.#entriesOf(server, kind)) {
      delete entry.readMs;
      entry.changedMs = performance.now();
    }
    this.#report(kind);
  }

  async #one(status: EndpointStatus, wanted: Wanted, options: AllListsOptions): Promise<KnownItems> {
    const { patienceMs, signal, isVisible = () => true } = options;
    const { server, kind } = wanted;
    const meta = isVisible(server) ? options.meta : undefined;
    const { list: own, readMs = Number.NEGATIVE_INFINITY } = this.#known(wanted);
    const isLater = availabilityOf(status) === "later";
    // What others get is better than nothing.
    const known = own ?? (isLater ? this.#known({ server, kind, extensions: "" }).list : undefined);
    const maxAgeMs = options.maxAgeMs ?? known?.hint?.ttlMs ?? 0;
    const isFresh = performance.now() - readMs <= maxAgeMs;
    if (known && (isFresh || isLater)) return known;
    let answer: KnownItems | undefined;
    const asking = this.#ask(wanted, meta).then((list) => (answer = list));
    await settlesWithin(asking, this.#waitMs(wanted, patienceMs), { signal });
    signal?.throwIfAborted();
    if (answer && !answer.fault) return answer;
    return known ?? answer ?? { server, items: [], received: [] };
  }

  /** Each request to a server is waited for once: a server that hangs must not delay every list. */
  #waitMs(wanted: Wanted, patienceMs: number): number {
    const { list, hasFailed, askedMs = performance.now() } = this.#entry(wanted);
    const longestMs = list || hasFailed ? Math.min(AGAIN_MS, patienceMs) : patienceMs;
    return Math.max(0, askedMs + longestMs - performance.now());
  }

  /** Concurrent requests for one list are shared, unless a request has a `_meta` to pass on. */
  #ask(wanted: Wanted, meta: AllListsOptions["meta"]): Promise<KnownItems> {
    const { server, kind, extensions } = wanted;
    const entry = this.#entry(wanted);
    const send = async (): Promise<KnownItems> => {
      const askedMs = performance.now();
      entry.askedMs = askedMs;
      const asked = { servers: [server], timeoutMs: LIST_MS, extensions, ...(meta && { meta }) };
      const [list = { server, items: [] }] = await this.#options.relay.list(kind, asked);
      delete entry.askedMs;
      entry.hasFailed = list.fault !== undefined;
      return this.#learn(wanted, list, askedMs);
    };
    return meta ? send() : this.#flights.run(keyOf(wanted), send);
  }

  #learn(wanted: Wanted, answer: ServerItems, askedMs: number): KnownItems {
    const { kind } = wanted;
    const list = this.#publishable(kind, answer);
    if (list.fault || !this.#fleet.endpoint(list.server)) return list;
    const entry = this.#entry(wanted);
    entry.list = list;
    // A change that was reported meanwhile may not be in it.
    if (askedMs > (entry.changedMs ?? Number.NEGATIVE_INFINITY)) entry.readMs = askedMs;
    this.#version += 1;
    if (entry.shown && !isSameDefinition(entry.shown, list.received)) this.#report(kind);
    return list;
  }

  #learnPages(server: string, tools: readonly RemoteTool[], extensions: ExtensionKey = ""): void {
    const pages = tools.flatMap(appPagesOf);
    const lists = this.#pages.get(server) ?? new Map<ExtensionKey, readonly string[]>();
    const before = lists.get(extensions) ?? [];
    if (pages.length === before.length && pages.every((page, at) => page === before[at])) return;
    if (pages.length > 0) lists.set(extensions, pages);
    else lists.delete(extensions);
    this.#pages.set(server, lists);
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

  #known(wanted: Wanted): Entry {
    const { server, kind, extensions } = wanted;
    const entry = this.#entry(wanted);
    if (entry.list) return entry;
    const list = this.#options.lastKnown?.(server, kind, extensions);
    if (!list) return entry;
    entry.list = this.#publishable(kind, list);
    this.#version += 1;
    return entry;
  }

  #entry(wanted: Wanted): Entry {
    const key = keyOf(wanted);
    const entry = this.#entries.get(key) ?? {};
    this.#entries.set(key, entry);
    return entry;
  }

  /** The entries of a list: the plain one, and those for clients with extensions that there are. */
  #entriesOf(server: string, kind: ItemKind): readonly Entry[] {
    return [
      this.#entry({ server, kind, extensions: "" }),
      ...this.#classesOf(server, kind).map((each) => this.#entry(each)),
    ];
  }

  #classesOf(server: string, kind: ItemKind): readonly Wanted[] {
    return EXTENSION_KEYS.map((extensions) => ({ server, kind, extensions })).filter((each) =>
      this.#entries.has(keyOf(each)),
    );
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
    for (const kind of KINDS)
      for (const wanted of [{ server, kind, extensions: "" }, ...this.#classesOf(server, kind)]) {
        const entry = this.#entry(wanted);
        if (now === "live") delete entry.readMs;
        const isShown = (entry.shown?.length ?? 0) > 0;
        const isBack = before === "none" && (entry.list?.items.length ?? 0) > 0;
        if (now === "none" ? isShown : isBack) this.#report(kind);
        if (now === "none" && isShown) entry.shown = [];
        if (now === "live" && this.#followed.has(kind)) this.#refresh(wanted);
      }
  }

  #forget(server: string): void {
    this.#availabilities.delete(server);
    this.#version += 1;
    this.#pages.delete(server);
    for (const kind of KINDS) {
      if (this.#entriesOf(server, kind).some(({ shown = [] }) => shown.length > 0)) this.#report(kind);
      for (const extensions of ["", ...EXTENSION_KEYS])
        this.#entries.delete(keyOf({ server, kind, extensions }));
      this.#reported.delete(`${kind} ${server}`);
    }
  }

  #refresh(wanted: Wanted): void {
    // A list that no client has yet counts as empty: any item is a change.
    this.#entry(wanted).shown ??= [];
    // Another launch may not make this list any more.
    if (this.classOf(wanted.server, wanted.extensions) !== wanted.extensions)
      return void this.#entries.delete(keyOf(wanted));
    void this.#ask(wanted, undefined).catch(() => {});
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
