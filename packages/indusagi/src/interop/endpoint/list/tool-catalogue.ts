import { backoffMs, callListener } from "../../../core/index.ts";
import type { RemoteTool, ToolListing } from "../../contract/index.ts";
import { isSameDefinition } from "./same-definition.ts";

/** A listing that failed is tried again, at the latest after this long. */
const MAX_RETRY_MS = 60_000;

export interface CatalogueOptions {
  list(): Promise<ToolListing>;
  /** Hears of a listing that is another than the one before. */
  readonly onChanged: (listing: ToolListing) => void;
  /** At most one listing in this time, however often the server says that something changed. Default 250 ms. */
  readonly quietMs?: number;
}

/**
 * A server's listing, fetched once and kept fresh. At most one listing is under way; a change told meanwhile leads to
 * one more afterwards, so that the last state always wins. One that failed is tried again until it works or the end comes.
 */
export class ToolCatalogue {
  readonly #options: CatalogueOptions;
  #listing: ToolListing | undefined;
  #underWay: Promise<ToolListing> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  /** In a row. While there is no listing, more than none means that somebody asked for it in vain. */
  #failures = 0;
  #isStopped = false;

  constructor(options: CatalogueOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#listing?.tools.length ?? 0;
  }

  get known(): ToolListing | undefined {
    return this.#listing;
  }

  find(name: string): RemoteTool | undefined {
    return this.#listing?.tools.find((tool) => tool.ref.name === name);
  }

  /** The listing, fetched if it is not known yet. */
  async get(): Promise<ToolListing> {
    return this.#listing ?? this.#fetch();
  }

  /** Something changed: fetch again soon. Of two times the earlier counts. */
  invalidate(delayMs: number = this.#options.quietMs ?? 250): void {
    const dueMs = performance.now() + delayMs;
    if (this.#isStopped || (this.#timer && this.#dueMs <= dueMs)) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#refresh();
    }, delayMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #fetch(): Promise<ToolListing> {
    this.#underWay ??= this.#options
      .list()
      .then(
        (listing) => this.#take(listing),
        (thrown: unknown) => this.#miss(thrown),
      )
      .finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  #take(listing: ToolListing): ToolListing {
    const before = this.#listing;
    const isNews = before ? !isSameListing(before, listing) : this.#failures > 0;
    this.#listing = listing;
    this.#failures = 0;
    if (isNews && !this.#isStopped) callListener(this.#options.onChanged, listing);
    return listing;
  }

  /** The last good listing stays; a connection that is gone is noticed elsewhere. */
  #miss(thrown: unknown): never {
    this.invalidate(backoffMs(this.#failures++, { maxMs: MAX_RETRY_MS }));
    throw thrown;
  }

  async #refresh(): Promise<void> {
    if (this.#underWay) await this.#underWay.catch(() => {}); // It may have begun before the change: look once more.
    const isWanted = this.#listing !== undefined || this.#failures > 0;
    if (this.#isStopped || !isWanted) return; // Nobody has asked for the list yet: whoever does gets a fresh one.
    await this.#fetch().catch(() => {});
  }
}

function isSameListing(a: ToolListing, b: ToolListing): boolean {
  return (
    a.tools.length === b.tools.length &&
    a.tools.every((tool, at) => isSameDefinition(tool.definition, b.tools[at]?.definition))
  );
}
