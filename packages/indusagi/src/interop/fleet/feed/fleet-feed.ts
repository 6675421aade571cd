import { Listeners } from "../../../core/index.ts";
import type { LogEntry, LogLevel } from "../../../runtime/index.ts";
import type { Audience, FleetLog, FleetNotification } from "../../contract/index.ts";
import { LogLevels, ServerFeed } from "./server-feed.ts";

/** What the servers of a fleet report outside of calls, and what clients ask them to report. */
export class FleetFeed {
  readonly #notifications = new Listeners<FleetNotification>();
  readonly #logs = new Listeners<FleetLog>();
  readonly #feeds = new Set<ServerFeed>();
  /** The feeds of the servers that all clients share. */
  readonly #shared = new Map<string, ServerFeed>();
  readonly #levels = new LogLevels(() => void this.#applyLevel());

  onNotification(listener: (notification: FleetNotification) => void): () => void {
    return this.#notifications.add(listener);
  }

  onLog(listener: (log: FleetLog) => void): () => void {
    return this.#logs.add(listener);
  }

  log(server: string, entry: LogEntry, audience: Audience): void {
    this.#logs.emit({ server, entry, audience });
  }

  /** The feed of one instance of a server. `client`: the only client that uses the instance. */
  add(server: string, client?: string): ServerFeed {
    const feed = new ServerFeed({
      server,
      client,
      levels: this.#levels,
      onNotification: (notification) => this.#notifications.emit(notification),
    });
    this.#feeds.add(feed);
    return feed;
  }

  /**
   * The feed of a server that all clients share. If its row was changed, or removed and added again, the old feed is kept
   * while clients watch something: they subscribed once and do not know that another process answers.
   */
  addShared(server: string): ServerFeed {
    const known = this.#shared.get(server);
    const feed = known?.isNeeded ? known : this.add(server);
    this.#shared.set(server, feed);
    this.#feeds.add(feed);
    return feed;
  }

  /** The instance has ended or is ending. */
  remove(feed: ServerFeed): void {
    this.#feeds.delete(feed);
  }

  async setLevel(client: string, level: LogLevel | undefined): Promise<void> {
    this.#levels.set(client, level);
    await this.#applyLevel();
  }

  /** A request asks for log messages: the server that answers it must send them. */
  async passLevel(feed: ServerFeed, level: LogLevel): Promise<void> {
    this.#levels.pass(level);
    await feed.applyLevel();
  }

  async #applyLevel(): Promise<void> {
    await Promise.all([...this.#feeds].map((feed) => feed.applyLevel()));
  }
}
