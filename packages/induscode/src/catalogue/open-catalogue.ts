import { mkdirSync } from "node:fs";
import { describeError, replaceFileSync } from "indusagi/core";
import type { ServerListing } from "indusagi/interop";
import { type CatalogueEntry, entryText, parseEntry, saysTheSame } from "./catalogue-entry.ts";
import {
  entryPath,
  entryStamp,
  keepEntryFile,
  MAX_ENTRY_BYTES,
  pruneEntries,
  readEntryFile,
} from "./entry-file.ts";

/**
 * The last known catalogue of each server, by the hash of its launch: what it offered, how long it took to start, and
 * whether its last starts failed. It outlives the process. Several processes may use one folder at the same time: each
 * file is replaced as a whole, and the last writer wins.
 */
export interface Catalogue extends AsyncDisposable {
  /** What is known of a launch. A damaged file counts as absent and is reported once. */
  entry(launch: string): CatalogueEntry | undefined;
  /** Remembers a start that succeeded. The failures before it are forgotten. */
  ready(launch: string, server: string, readyMs: number): void;
  /** Remembers a start that failed. The last good listing stays. */
  failed(launch: string, server: string): void;
  /** Remembers a good listing. */
  listed(launch: string, server: string, listing: ServerListing): void;
  /** Writes at once what is not in its file yet. Never throws. */
  flush(): void;
}

export interface CatalogueOptions {
  /** Called for each file that cannot be used or written, with one line. */
  readonly report: (message: string) => void;
}

/** A start is followed by its listing, so that one write is enough for both. */
const DELAY_MS = 50;

/** Opens the catalogue in a folder, which is created if it does not exist. Closing it writes what is not written yet. */
export function openCatalogue(folder: string, options: CatalogueOptions): Catalogue {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new CatalogueFolder(folder, options);
}

class CatalogueFolder implements Catalogue {
  readonly #folder: string;
  readonly #report: (message: string) => void;
  readonly #known = new Map<string, CatalogueEntry | undefined>();
  /** What the files contained when they were last read or written. */
  readonly #stored = new Map<string, { readonly stamp: string; readonly entry: CatalogueEntry }>();
  readonly #reported = new Set<string>();
  /** Entries whose file is not written yet. A newer one replaces an older one. */
  readonly #unwritten = new Map<string, CatalogueEntry>();
  #timer: NodeJS.Timeout | undefined;

  constructor(folder: string, { report }: CatalogueOptions) {
    this.#folder = folder;
    this.#report = report;
  }

  entry(launch: string): CatalogueEntry | undefined {
    if (!this.#known.has(launch)) this.#known.set(launch, this.#read(launch));
    return this.#known.get(launch);
  }

  ready(launch: string, server: string, readyMs: number): void {
    const before = this.#newest(launch);
    this.#remember(launch, { ...before, server, failures: 0, readyMs: Math.round(readyMs) }, before);
  }

  failed(launch: string, server: string): void {
    const before = this.#newest(launch);
    this.#remember(launch, { ...before, server, failures: (before?.failures ?? 0) + 1 }, before);
  }

  listed(launch: string, server: string, listing: ServerListing): void {
    const before = this.#newest(launch);
    this.#remember(launch, { failures: 0, ...before, server, listing }, before);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#unwritten.size > 0) this.#writeNext();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.flush();
  }

  /** What is to be written, or what another process may have written since. */
  #newest(launch: string): CatalogueEntry | undefined {
    return this.#unwritten.get(launch) ?? this.#read(launch);
  }

  #read(launch: string): CatalogueEntry | undefined {
    const path = entryPath(this.#folder, launch);
    const stamp = entryStamp(path);
    const stored = this.#stored.get(launch);
    // Each start asks several times, and to parse a large file takes milliseconds.
    if (stored && stored.stamp === stamp) return stored.entry;
    const reading = readEntryFile(path);
    if ("problem" in reading && reading.isAbsent) return undefined;
    const entry = "text" in reading ? parseEntry(launch, reading.text) : undefined;
    if (entry) this.#stored.set(launch, { stamp, entry });
    else {
      const why = "problem" in reading ? reading.problem : "its content is damaged";
      this.#reportOnce(
        `the last known catalogue ${path} is not used: ${why}; it is replaced by the next listing`,
      );
    }
    return entry;
  }

  #remember(launch: string, entry: CatalogueEntry, before: CatalogueEntry | undefined): void {
    this.#known.set(launch, entry);
    // Most starts bring nothing new.
    if (before && saysTheSame(before, entry) && keepEntryFile(entryPath(this.#folder, launch))) return;
    this.#unwritten.set(launch, entry);
    this.#timer ??= setTimeout(() => this.#writeSome(), DELAY_MS).unref();
  }

  /** One file per turn of the event loop: calls must not wait for all of them. */
  #writeSome(): void {
    this.#writeNext();
    this.#timer = this.#unwritten.size > 0 ? setTimeout(() => this.#writeSome(), 0).unref() : undefined;
  }

  #writeNext(): void {
    const [next] = this.#unwritten;
    if (!next) return;
    this.#unwritten.delete(next[0]);
    this.#write(...next);
  }

  #write(launch: string, entry: CatalogueEntry): void {
    const path = entryPath(this.#folder, launch);
    const { content, isWhole } = this.#contentOf(launch, entry);
    try {
      // A damaged file counts as absent, so waiting for the disk would only delay calls.
      replaceFileSync({ path, content, mode: 0o600, canLose: true });
      if (isWhole) this.#stored.set(launch, { stamp: entryStamp(path), entry });
      pruneEntries(this.#folder);
    } catch (thrown) {
      this.#reportOnce(`the last known catalogue cannot be written: ${describeError(thrown)}`);
    }
  }

  /** If all of it is too large, without the resources, then without the prompts, at last without the listing. */
  #contentOf(launch: string, entry: CatalogueEntry): { readonly content: Buffer; readonly isWhole: boolean } {
    const { listing, ...rest } = entry;
    const variants = listing
      ? [
          entry,
          { ...rest, listing: { ...listing, resources: [], templates: [] } },
          { ...rest, listing: { ...listing, resources: [], templates: [], prompts: [] } },
        ]
      : [];
    for (const variant of variants) {
      const content = Buffer.from(entryText(launch, variant));
      if (content.length <= MAX_ENTRY_BYTES) return { content, isWhole: variant === entry };
    }
    if (listing) this.#reportOnce(`the tools of server "${entry.server}" are too large to be remembered`);
    return { content: Buffer.from(entryText(launch, rest)), isWhole: !listing };
  }

  #reportOnce(message: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#report(message);
  }
}
