import type { LogLevel } from "../../../runtime/index.ts";
import { isWantedLevel, mostVerboseLevel } from "../../../runtime/internal.ts";
import type { FleetNotification, Lease, ServerEndpoint, ServerSession } from "../../contract/index.ts";
import { createResourceWatch, type ResourceWatch } from "../../endpoint/index.ts";

/** Belong to a request, or are reported in another way. */
const NOT_REPORTED: ReadonlySet<string> = new Set([
  "notifications/progress",
  "notifications/cancelled",
  "notifications/message",
  "notifications/subscriptions/acknowledged",
]);
const UPDATED = "notifications/resources/updated";
const WATCH_MS = 30_000;
const LEVEL_MS = 5_000;

interface ServerFeedOptions {
  readonly server: string;
  /** The only client that uses this instance. */
  readonly client?: string | undefined;
  readonly levels: LogLevels;
  readonly onNotification: (notification: FleetNotification) => void;
}

/** A resource and its watchers. */
interface Watched {
  watchers: number;
  /** True after the first subscription succeeded: from then on it is renewed. */
  isSubscribed: boolean;
  ready: Promise<void>;
}

/** What one instance of a server reports and is asked to report outside of calls, across all its endpoints. */
export class ServerFeed {
  readonly #options: ServerFeedOptions;
  readonly #watched = new Map<string, Watched>();
  #session: ServerSession | undefined;
  #resources: ResourceWatch | undefined;
  #stopListening: () => void = () => {};
  #level: string | undefined;
  #settingLevel: Promise<void> = Promise.resolve();

  constructor(options: ServerFeedOptions) {
    this.#options = options;
  }

  /** True if it must keep running: a stopped server reports nothing. */
  get isNeeded(): boolean {
    return this.#watched.size > 0;
  }

  /** A new endpoint is connected: repeats everything that was asked of the last one. */
  connected(endpoint: ServerEndpoint): void {
    const session = endpoint.session();
    this.#stopListening();
    this.#session = session;
    this.#stopListening = session.onNotification(({ method, params }) => {
      if (!NOT_REPORTED.has(method)) this.#emit(method, params);
    });
    this.#resources = createResourceWatch(session, {
      timeoutMs: WATCH_MS,
      onMissed: (uri) => this.#emit(UPDATED, { uri }),
    });
    this.#level = undefined;
    void this.applyLevel();
    void this.#renew();
  }

  /** Sends the level that clients ask for. Resolves when the server has it. Never rejects. */
  applyLevel(): Promise<void> {
    const { level } = this.#options.levels;
    const session = this.#session;
    if (!session || level === undefined) return Promise.resolve();
    if (session.era === "modern" || session.capabilities["logging"] === undefined) return Promise.resolve();
    if (level === this.#level) return this.#settingLevel;
    this.#level = level;
    const times = { timeoutMs: LEVEL_MS, totalMs: LEVEL_MS };
    this.#settingLevel = session.request("logging/setLevel", { level }, times).then(
      () => {},
      () => {},
    );
    return this.#settingLevel;
  }

  rootsChanged(): void {
    if (this.#session?.era !== "legacy") return;
    this.#session.notify("notifications/roots/list_changed").catch(() => {});
  }

  /** Watches a resource. Returns a function that ends it. Rejects with a fault. */
  async watch(uri: string, lease: () => Promise<Lease>): Promise<() => Promise<void>> {
    const watched = this.#watched.get(uri) ?? this.#begin(uri, lease);
    watched.watchers += 1;
    let isOver = false;
    const leave = async (): Promise<void> => {
      if (isOver) return;
      isOver = true;
      watched.watchers -= 1;
      if (watched.watchers > 0 || this.#watched.get(uri) !== watched) return;
      this.#watched.delete(uri);
      // A connection that has ended forgets its subscriptions by itself.
      if (watched.isSubscribed) await this.#resources?.remove(uri).catch(() => {});
    };
    try {
      await watched.ready;
      return leave;
    } catch (thrown) {
      await leave();
      throw thrown;
    }
  }

  #begin(uri: string, lease: () => Promise<Lease>): Watched {
    const ready = this.#subscribe(uri, lease).then(() => void (watched.isSubscribed = true));
    const watched: Watched = { watchers: 0, isSubscribed: false, ready };
    this.#watched.set(uri, watched);
    return watched;
  }

  /** On a leased endpoint, which `connected` has been called with. */
  async #subscribe(uri: string, lease: () => Promise<Lease>): Promise<void> {
    const leased = await lease();
    try {
      await this.#resources?.add(uri);
    } finally {
      leased.release();
    }
  }

  /** Whether it succeeds or not, watchers should read the resource again: it may have changed meanwhile. */
  async #renew(): Promise<void> {
    const uris = [...this.#watched].flatMap(([uri, { isSubscribed }]) => (isSubscribed ? [uri] : []));
    if (uris.length === 0) return;
    const resources = this.#resources;
    await resources?.add(...uris).catch(() => {});
    if (this.#resources !== resources) return; // Restarted again meanwhile.
    for (const uri of uris) if (this.#watched.has(uri)) this.#emit(UPDATED, { uri });
  }

  #emit(method: string, params?: FleetNotification["notification"]["params"]): void {
    const { server, client, onNotification } = this.#options;
    const notification = params ? { method, params } : { method };
    onNotification({ server, notification, ...(client === undefined ? {} : { client }) });
  }
}

/** How long the level of a single request is kept, so the next request with the same level changes nothing. */
const PASSING_MS = 60_000;

/** The log levels that clients ask for. */
export class LogLevels {
  readonly #byClient = new Map<string, LogLevel>();
  readonly #onExpired: () => void;
  /** A level that requests of the modern era named. */
  #passing: LogLevel | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `onExpired` is called when the level of past requests no longer counts. */
  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  /** The most verbose level asked for; `undefined` if no client asks for one. */
  get level(): LogLevel | undefined {
    return mostVerboseLevel([...this.#byClient.values(), ...(this.#passing ? [this.#passing] : [])]);
  }

  /** Records what a client asks for until it asks for something else. */
  set(client: string, level: LogLevel | undefined): void {
    if (level === undefined) this.#byClient.delete(client);
    else this.#byClient.set(client, level);
  }

  /** Records the level of one request. */
  pass(level: LogLevel): void {
    const before = this.level;
    if (before !== undefined && isWantedLevel(level, before)) {
      if (level === this.#passing) this.#timer?.refresh();
      return;
    }
    this.#passing = level;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#passing = undefined;
      this.#onExpired();
    }, PASSING_MS).unref();
  }
}
