import { extensionKey, type ListKind } from "../content/index.ts";
import type {
  BoxSource,
  ClientObserver,
  HostClient,
  HostIntroduction,
  HostProviders,
  ProviderHostInfo,
  ProviderSource,
} from "../contract/index.ts";
import type { ParkedCalls, ParkingLimits } from "./questions/parked-calls.ts";
import { type HostPeer, peerClient } from "./request/host-peer.ts";
import type { JsonBudget } from "./request/json-budget.ts";
import type { ResourceWatchers } from "./subscriptions/resource-watchers.ts";
import type { TaskRecord } from "./tasks/task-record.ts";
import type { TaskLimits, TaskTable } from "./tasks/task-table.ts";

export interface ProviderHostOptions {
  /** Limits for questions that wait for a modern client to return with answers. */
  readonly questions?: Partial<ParkingLimits>;
  /** Limits for the structure of a call's arguments. */
  readonly json?: Partial<JsonBudget>;
  /**
   * Called when a client lists the tools for the first time; the answer waits for it. Without a connection, clients are told
   * apart by principal and name.
   */
  readonly beforeFirstListing?: (client: HostClient) => Promise<void>;
  /** Called when a client with a connection has been sent its first list of tools. */
  readonly afterFirstListing?: () => void;
  /**
   * How the host presents itself to a client that connects or, without a connection, in each request. The client waits for it.
   * Default: as it was made.
   */
  readonly introduction?: () => Promise<HostIntroduction | undefined>;
  /** Told which clients are connected. */
  readonly clients?: ClientObserver;
  /** Lets calls of tools that say so go on as tasks, with these limits. Default: they do not. */
  readonly tasks?: Partial<TaskLimits>;
  /**
   * Which extensions of a client tools and providers learn of: `relayed` for many servers, `all` (but logins) for a host that shows
   * one server as it is. Default `none`.
   */
  readonly clientExtensions?: "none" | "relayed" | "all";
  /**
   * Send definitions as received, even those that make official clients refuse the whole list. Default: these are repaired where
   * their meaning is clear, and left out otherwise.
   */
  readonly listsAsReceived?: boolean;
  /**
   * The clients are gateways of ours with the option `link`: each request says whom it is made for, and each result why a call failed.
   * What one of them began, another may continue for the same client.
   */
  readonly link?: boolean;
  /** Seals the states that clients hold. Hosts with the same key accept each other's. Default: random. */
  readonly stateKey?: Uint8Array | undefined;
  /**
   * Called with problems that no client is told about: invalid messages, messages that could not be sent, or definitions that are
   * left out of a list. Those of a fleet are in its status instead.
   */
  readonly report?: (message: string) => void;
}

/** What all connections of one host share. */
export interface HostCore {
  readonly box: BoxSource;
  readonly info: ProviderHostInfo;
  readonly providers: ProviderSource;
  readonly json: JsonBudget;
  readonly questionMs: number;
  readonly parked: ParkedCalls;
  readonly watches: ResourceWatchers;
  readonly taskPushes: TaskPushes;
  readonly firstListings: FirstListings;
  readonly introduction: ProviderHostOptions["introduction"];
  readonly afterFirstListing: ProviderHostOptions["afterFirstListing"];
  readonly clients: ClientObserver;
  /** Calls that go on as tasks. Undefined: the host offers none. */
  readonly tasks: TaskTable | undefined;
  /** Those tasks, and the results of servers that answered at once although their client asked for a task. */
  readonly keptTasks: TaskTable;
  /** The tasks that legacy clients may list. */
  readonly taskRecord: TaskRecord;
  readonly passesExtension: (id: string, era: HostClient["era"]) => boolean;
  readonly listsAsReceived: boolean;
  /** The lists whose left out definitions were reported. */
  readonly reportedLists: Set<ListKind>;
  /** Whether plain requests take the lane. Otherwise all are the SDK's. */
  readonly usesLane: boolean;
  readonly isLinked: boolean;
  /** Seals state that a client holds and must return unchanged. */
  readonly stateKey: Uint8Array;
  report(message: string): void;
}

/** The providers for a client. */
export function chosenProviders({ providers }: HostCore, peer: HostPeer): HostProviders {
  return typeof providers === "function" ? providers(peerClient(peer)) : providers;
}

/** Clients without a connection that are remembered. Beyond it all are forgotten and may have to wait again. */
const MAX_CLIENTS = 1_000;

/** Makes each client's first listing wait, and all that the client requests meanwhile. */
export class FirstListings {
  readonly #before: ((client: HostClient) => Promise<void>) | undefined;
  /** A connection with clients of several kinds waits once for each. */
  readonly #ofConnections = new WeakMap<object, Map<string, Promise<void>>>();
  readonly #ofClients = new Map<string, Promise<void>>();

  constructor(before: ((client: HostClient) => Promise<void>) | undefined) {
    this.#before = before;
  }

  /** Resolves when the client may get its tools; `undefined` if it may now. Never rejects. */
  wait(client: HostClient, connection: object | undefined): Promise<void> | undefined {
    if (!this.#before) return undefined;
    const extensions = extensionKey(client.extensions);
    const key = connection
      ? extensions
      : [client.principal ?? "", client.client?.name ?? "", extensions].join("\0");
    const waits = connection ? this.#waitsOf(connection) : this.#ofClients;
    const begun = waits.get(key);
    if (begun) return begun;
    const waiting = this.#before(client).catch(() => {});
    if (waits.size >= MAX_CLIENTS) waits.clear();
    waits.set(key, waiting);
    return waiting;
  }

  #waitsOf(connection: object): Map<string, Promise<void>> {
    const waits = this.#ofConnections.get(connection) ?? new Map<string, Promise<void>>();
    this.#ofConnections.set(connection, waits);
    return waits;
  }
}

const MAX_PER_OWNER = 1_000;
const MAX_TOTAL = 10_000;

/** How many tasks the subscriptions of a host follow. Beyond a limit none is acknowledged: its client asks instead. */
export class TaskPushes {
  readonly #byOwner = new Map<string, number>();
  #total = 0;

  take(owner: string, count: number): { readonly isGranted: boolean; readonly release: () => void } {
    const owned = this.#byOwner.get(owner) ?? 0;
    if (owned + count > MAX_PER_OWNER || this.#total + count > MAX_TOTAL)
      return { isGranted: false, release: () => {} };
    this.#change(owner, count);
    return { isGranted: true, release: () => this.#change(owner, -count) };
  }

  #change(owner: string, by: number): void {
    const owned = (this.#byOwner.get(owner) ?? 0) + by;
    if (owned > 0) this.#byOwner.set(owner, owned);
    else this.#byOwner.delete(owner);
    this.#total += by;
  }
}
