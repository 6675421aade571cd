import { settlesWithin } from "indusagi/core";
import type { CatalogueEntry } from "./catalogue-entry.ts";

export interface EntryWritesOptions {
  /** Replaces the file of an entry without blocking. Never rejects. */
  readonly write: (launch: string, entry: CatalogueEntry) => Promise<void>;
  /** Replaces it before it returns. Never throws. */
  readonly writeNow: (launch: string, entry: CatalogueEntry) => void;
  /** Called with one line if the disk does not respond. */
  readonly report: (message: string) => void;
  /** Called after a group of writes. */
  readonly onWritten: () => void;
  /** How long `flush` waits for the write in progress. Default 2 s. */
  readonly flushMs?: number;
}

/** A start is soon followed by its listing, so one write is enough for both. */
const DELAY_MS = 50;
const FLUSH_MS = 2_000;

/**
 * Entries that are not written yet. They are written in the background, one after the other: calls do not wait for the disk,
 * and an older entry never replaces a newer one.
 */
export class EntryWrites {
  readonly #options: EntryWritesOptions;
  readonly #waiting = new Map<string, CatalogueEntry>();
  /** The write in progress. */
  #current: { readonly launch: string; readonly entry: CatalogueEntry } | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFlushing = false;

  constructor(options: EntryWritesOptions) {
    this.#options = options;
  }

  /** The newest entry of a launch, if its file is not written yet. */
  get(launch: string): CatalogueEntry | undefined {
    return this.#waiting.get(launch) ?? (this.#current?.launch === launch ? this.#current.entry : undefined);
  }

  /** Writes an entry soon. It replaces an older one of its launch that is not written yet. */
  add(launch: string, entry: CatalogueEntry): void {
    this.#waiting.set(launch, entry);
    if (this.#writing || this.#isFlushing) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#writeAll();
    }, DELAY_MS).unref();
  }

  /** Resolves when everything is written or has failed. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isFlushing = true;
    // If it ended later, it would replace the newer file.
    const { flushMs = FLUSH_MS, report } = this.#options;
    const isDone = !this.#writing || (await settlesWithin(this.#writing, flushMs));
    this.#isFlushing = false;
    if (!isDone) {
      report("the last known catalogue cannot be written: the disk does not respond");
      return;
    }
    if (this.#waiting.size === 0) return;
    for (const [launch, entry] of this.#waiting) this.#options.writeNow(launch, entry);
    this.#waiting.clear();
    this.#options.onWritten();
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#next(); next && !this.#isFlushing; next = this.#next()) {
      this.#current = next;
      this.#waiting.delete(next.launch);
      await this.#options.write(next.launch, next.entry);
      this.#current = undefined;
    }
    this.#writing = undefined;
    this.#options.onWritten();
  }

  #next(): { readonly launch: string; readonly entry: CatalogueEntry } | undefined {
    for (const [launch, entry] of this.#waiting) return { launch, entry };
    return undefined;
  }
}
