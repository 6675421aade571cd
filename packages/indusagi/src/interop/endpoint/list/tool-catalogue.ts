import { backoffMs, callListener, canonicalJson } from "../../../core/index.ts";
import { sameJson } from "../../../core/internal.ts";
import type { RemoteTool, ToolListing } from "../../contract/index.ts";

/** Longest delay before a failed listing is retried. */
const MAX_RETRY_MS = 60_000;

export interface ToolCatalogueOptions {
  list(): Promise<ToolListing>;
  /** Called when a listing differs from the one before. */
  readonly onChanged: (listing: ToolListing) => void;
  /** How long after a reported change the tools are listed. Default 250 ms. */
  readonly quietMs?: number;
}

/** Longest time between two listings of a server that keeps reporting changes. */
const MAX_GAP_MS = 60_000;
/** After a server has reported nothing for this long, and for as long as the last gap, it is listed promptly again. */
const CALM_MS = 10_000;

/**
 * A server's listing, fetched once and updated. At most one listing runs at a time; a change reported meanwhile
 * causes one more afterwards, so the last state wins. While a server keeps reporting changes, the time between two listings
 * doubles each time. A failed listing is retried until it succeeds or the endpoint ends.
 */
export class ToolCatalogue {
  readonly #options: ToolCatalogueOptions;
  #listing: ToolListing | undefined;
  #underWay: Promise<ToolListing> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueMs = 0;
  /** Consecutive failures. Without a listing, more than 0 means that a caller asked for one and it failed. */
  #failures = 0;
  #isStopped = false;
  /** Listings because of reported changes since the server was last calm. */
  #relistings = 0;
  #reportedMs = Number.NEGATIVE_INFINITY;
  #relistedMs = Number.NEGATIVE_INFINITY;

  constructor(options: ToolCatalogueOptions) {
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

  /** The listing; fetched if it is not known yet. */
  async get(): Promise<ToolListing> {
    return this.#listing ?? this.#fetch();
  }

  /** The server reports a change. The next listing covers all reports until it starts; a later report causes another one. */
  reported(): void {
    const { quietMs = 250 } = this.#options;
    const nowMs = performance.now();
    if (nowMs - this.#reportedMs > Math.max(CALM_MS, this.#gapMs)) this.#relistings = 0;
    this.#reportedMs = nowMs;
    this.invalidate(Math.max(quietMs, this.#relistedMs + this.#gapMs - nowMs), true);
  }

  /** Fetches again after a delay. Of two due times the earlier one counts. */
  invalidate(delayMs: number, isReported = false): void {
    const dueMs = performance.now() + delayMs;
    if (this.#isStopped || (this.#timer && this.#dueMs <= dueMs)) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#relistedMs = performance.now();
      if (isReported) this.#relistings++;
      void this.#refresh();
    }, delayMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** The minimum time between two listings. */
  get #gapMs(): number {
    const { quietMs = 250 } = this.#options;
    return Math.min(MAX_GAP_MS, quietMs * 2 ** Math.max(0, this.#relistings - 1));
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

  /** Keeps the last good listing. A lost connection is detected elsewhere. */
  #miss(thrown: unknown): never {
    this.invalidate(backoffMs(this.#failures++, { maxMs: MAX_RETRY_MS }));
    throw thrown;
  }

  async #refresh(): Promise<void> {
    if (this.#underWay) await this.#underWay.catch(() => {}); // That listing may have started before the change.
    const isWanted = this.#listing !== undefined || this.#failures > 0;
    if (this.#isStopped || !isWanted) return; // The listing was never requested; the first request will fetch it.
    await this.#fetch().catch(() => {});
  }
}

function isSameListing(a: ToolListing, b: ToolListing): boolean {
  return (
    a.tools.length === b.tools.length &&
    a.tools.every((tool, at) => isSameDefinition(tool.definition, b.tools[at]?.definition))
  );
}

/**
 * Whether two tool definitions have the same content; the order of object members does not matter. A definition that is
 * nested too deeply to compare counts as different: it must not make a listing fail.
 */
export function isSameDefinition(a: unknown, b: unknown): boolean {
  try {
    // A member that is undefined counts as absent, as in JSON. Comparing as text takes ten times as long, and few tools change.
    return sameJson(a, b) || canonicalJson(a) === canonicalJson(b);
  } catch {
    return false;
  }
}
