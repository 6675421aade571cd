import type { RemoteTool, ToolListing } from "../contract/index.ts";

export interface CatalogueOptions {
  list(): Promise<ToolListing>;
  /** Hears of a listing that is another than the one before. */
  onChanged(listing: ToolListing): void;
  /** At most one listing in this time, however often the server says that something changed. Default 250 ms. */
  readonly quietMs?: number;
}

/**
 * A server's listing, fetched once and kept fresh. At most one listing is under way; a change told meanwhile leads to
 * one more afterwards, so that the last state always wins.
 */
export class ToolCatalogue {
  readonly #options: CatalogueOptions;
  #listing: ToolListing | undefined;
  #underWay: Promise<ToolListing> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
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
      .then((listing) => (this.#listing = listing))
      .finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  async #refresh(): Promise<void> {
    if (this.#underWay) await this.#underWay.catch(() => {}); // It may have begun before the change: look once more.
    const before = this.#listing;
    if (this.#isStopped || !before) return; // Nobody has asked for the list yet: whoever does gets a fresh one.
    try {
      const after = await this.#fetch();
      if (!isSameListing(before, after)) this.#options.onChanged(after);
    } catch {
      // The last good listing stays; a connection that is gone is noticed elsewhere.
    }
  }
}

function isSameListing(a: ToolListing, b: ToolListing): boolean {
  return (
    JSON.stringify(a.tools.map((tool) => tool.definition)) ===
    JSON.stringify(b.tools.map((tool) => tool.definition))
  );
}
