import { backoffMs, callListener, canonicalJson, settlesWithin } from "../../../core/index.ts";
import { sameJson } from "../../../core/internal.ts";
import { NOT_CACHED, remainingHint } from "../../content/index.ts";
import type { CacheHint, RemoteTool, ToolListing } from "../../contract/index.ts";

/** Longest delay before a failed listing is retried. */
const MAX_RETRY_MS = 60_000;

export interface ToolCatalogueOptions {
  list(): Promise<ToolListing>;
  /** Called when a listing differs from the one before. */
  readonly onChanged: (listing: ToolListing) => void;
  /** Whether whoever needs the listing waits for the first one too, which is reported. Default: its owner fetches it. */
  readonly isOnDemand?: boolean;
  /** Whether the server would report a change now. Default: it would. */
  readonly isAnnounced?: () => boolean;
  /** How long after a reported change the tools are listed. Default 250 ms. */
  readonly quietMs?: number;
}

/** Longest time between two listings of a server that keeps reporting changes. */
const MAX_GAP_MS = 60_000;
/** After a server has reported nothing for this long, and for as long as the last gap, it is listed promptly again. */
const CALM_MS = 10_000;
/** The longest wait for a listing whose lifetime is over: the one before is still known. */
const RENEW_MS = 1_500;
/** The same for a first listing: other tools are offered without it. */
const FIRST_MS = 5_000;

/**
 * A server's listing, fetched once and updated. At most one listing runs at a time; a change reported meanwhile
 * causes one more afterwards, so the last state wins. While a server keeps reporting changes, the time between two listings
 * doubles each time. A failed listing is retried until it succeeds or the endpoint ends. A listing whose stated lifetime is over is
 * fetched again when somebody needs it, not by a timer.
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
  /** When the listing under way was requested. */
  #askedMs = Number.NEGATIVE_INFINITY;
  /** When the known listing was requested: its lifetime counts from then. */
  #listedMs = Number.NEGATIVE_INFINITY;
  /** Consecutive renewals that found other tools. */
  #unsteady = 0;

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

  /** How long the listing may still be used, and by whom. */
  get hint(): CacheHint {
    if (!this.#listing || this.#isOutdated) return NOT_CACHED;
    return remainingHint({
      hint: this.#listing.hint,
      ageMs: performance.now() - this.#listedMs,
      isAnnounced: this.#isAnnounced,
    });
  }

  /**
   * Fetches the listing again if its lifetime is over and the server would not report a change. Resolves when that is done or takes
   * too long; undefined if there is nothing to wait for. Never rejects.
   */
  renew(): Promise<unknown> | undefined {
    if (!this.#listing && this.#options.isOnDemand) return this.#first();
    if (!this.#isOver) return undefined;
    const before = this.#listing;
    const isFirst = !this.#underWay;
    const fetching = this.#fetch().then(
      (listing) => {
        if (isFirst && before) this.#unsteady = isSameListing(before, listing) ? 0 : this.#unsteady + 1;
      },
      () => {}, // The next try is due already.
    );
    const waitMs = this.#askedMs + RENEW_MS - performance.now();
    return waitMs > 0 ? settlesWithin(fetching, waitMs) : undefined;
  }

  /** After a failure, the next try is due already. */
  #first(): Promise<unknown> | undefined {
    if (this.#isStopped || (this.#failures > 0 && !this.#underWay)) return undefined;
    const fetching = this.#fetch().catch(() => {});
    const waitMs = this.#askedMs + FIRST_MS - performance.now();
    return waitMs > 0 ? settlesWithin(fetching, waitMs) : undefined;
  }

  /**
   * A report may have been missed, so the tools are fetched again after a delay, or when their lifetime is over if that is later.
   */
  missed(delayMs: number): void {
    this.invalidate(delayMs, "missed");
  }

  /** The server reports a change. The next listing covers all reports until it starts; a later report causes another one. */
  reported(): void {
    const { quietMs = 250 } = this.#options;
    const nowMs = performance.now();
    if (nowMs - this.#reportedMs > Math.max(CALM_MS, this.#gapMs)) this.#relistings = 0;
    this.#reportedMs = nowMs;
    this.invalidate(Math.max(quietMs, this.#relistedMs + this.#gapMs - nowMs), "reported");
  }

  /** Fetches again after a delay. Of two due times the earlier one counts. */
  invalidate(delayMs: number, why?: "reported" | "missed"): void {
    const dueMs = performance.now() + delayMs;
    if (this.#isStopped || (this.#timer && this.#dueMs <= dueMs)) return;
    clearTimeout(this.#timer);
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const restMs = why === "missed" ? this.#restMs : 0;
      if (restMs > 0) return this.missed(restMs);
      this.#relistedMs = performance.now();
      if (why === "reported") this.#relistings++;
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

  get #isAnnounced(): boolean {
    return this.#options.isAnnounced?.() ?? true;
  }

  /** A change was reported since the listing was requested, or a refresh has failed: another listing is due. */
  get #isOutdated(): boolean {
    return this.#failures > 0 || this.#reportedMs >= this.#listedMs;
  }

  /** What is left of the stated lifetime. */
  get #restMs(): number {
    const { hint } = this.#listing ?? {};
    return hint && !this.#isOutdated ? this.#listedMs + hint.ttlMs - performance.now() : 0;
  }

  /**
   * Whether somebody who needs the tools should get newer ones. A server whose tools differ each time is not asked each time: its
   * clients list again after each change, and would go on for ever.
   */
  get #isOver(): boolean {
    if (!this.#listing?.hint || this.#isStopped || this.#isOutdated || this.#isAnnounced) return false;
    const { quietMs = 250 } = this.#options;
    const gapMs = this.#unsteady === 0 ? 0 : Math.min(CALM_MS, quietMs * 2 ** this.#unsteady);
    return this.#restMs <= 0 && performance.now() - this.#listedMs >= gapMs;
  }

  #fetch(): Promise<ToolListing> {
    if (this.#underWay) return this.#underWay;
    const askedMs = performance.now();
    this.#askedMs = askedMs;
    this.#underWay = this.#options
      .list()
      .then(
        (listing) => this.#take(listing, askedMs),
        (thrown: unknown) => this.#miss(thrown),
      )
      .finally(() => (this.#underWay = undefined));
    return this.#underWay;
  }

  #take(listing: ToolListing, askedMs: number): ToolListing {
    const before = this.#listing;
    const isNews = before
      ? !isSameListing(before, listing)
      : this.#failures > 0 || this.#options.isOnDemand === true;
    this.#listing = listing;
    this.#listedMs = askedMs;
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
