import type { FleetFeed } from "./feed/fleet-feed.ts";
import type { Supervisor } from "./supervisor.ts";

/** The servers that are no longer members of a fleet and still finish their calls. */
export class LeavingServers {
  readonly #feed: FleetFeed;
  /** Each with its end. */
  readonly #leaving = new Map<Supervisor, Promise<void>>();

  constructor(feed: FleetFeed) {
    this.#feed = feed;
  }

  all(): readonly Supervisor[] {
    return [...this.#leaving.keys()];
  }

  /** Ends one instance of a server; its running calls may finish within `drainMs`. Never rejects. */
  retire(member: Supervisor, drainMs = 0): Promise<void> {
    const ended = member.stop(drainMs).finally(() => this.#leaving.delete(member));
    this.#feed.remove(member.feed);
    this.#leaving.set(member, ended);
    return ended;
  }

  /** Resolves when no former server with this id is running any more; `undefined` if none is. */
  ended(id: string): Promise<unknown> | undefined {
    const former = [...this.#leaving].filter(([{ config }]) => config.id === id);
    return former.length > 0 ? Promise.all(former.map(([, ended]) => ended)) : undefined;
  }
}
