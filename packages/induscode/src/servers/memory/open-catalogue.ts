import { mkdirSync } from "node:fs";
import { describeError, type FileDisk } from "indusagi/core";
import { type JsonFile, openJsonFile } from "../../state/index.ts";
import {
  addsNothing,
  type CatalogueEntry,
  type CatalogueHead,
  type KnownListing,
} from "./catalogue-entry.ts";
import { entryPath, entrySchema, keepEntryFile, pruneEntries, readHead } from "./entry-file.ts";
import { EntryWrites } from "./entry-writes.ts";

/**
 * The last known catalogue of each server, by the hash of its launch: what it offered, how long it took to start, and
 * whether its last starts failed. Several processes may use one folder: each file is replaced as a whole, and the last
 * writer wins.
 */
export interface Catalogue extends AsyncDisposable {
  /** What is known about a launch. A damaged file counts as absent and is reported once. */
  entry(launch: string): CatalogueEntry | undefined;
  /** The same without the lists, which is much faster. A damaged file counts as absent. */
  head(launch: string): CatalogueHead | undefined;
  /** Remembers that a start was tried, if nothing is known about the launch yet. */
  tried(launch: string, server: string): void;
  /** Remembers a start that succeeded, and forgets the failures before it. */
  ready(launch: string, server: string, readyMs: number): void;
  /** Remembers a start that failed. The last good listing stays. */
  failed(launch: string, server: string): void;
  /** Remembers a start that was interrupted. The last good listing stays. */
  interrupted(launch: string, server: string): void;
  /** Remembers a good listing. */
  listed(launch: string, server: string, listing: KnownListing): void;
  /** Writes what is pending. Never rejects. */
  flush(): Promise<void>;
}

export interface CatalogueOptions {
  /** Called with one line for each file that cannot be used or written. */
  readonly report: (message: string) => void;
  /** For background writes. Default: this machine's disk. */
  readonly disk?: FileDisk;
}

/** Opens the catalogue in a folder, which is created if it does not exist. Closing writes what is pending. */
export function openCatalogue(folder: string, options: CatalogueOptions): Catalogue {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new CatalogueFolder(folder, options);
}

class CatalogueFolder implements Catalogue {
  readonly #folder: string;
  readonly #options: CatalogueOptions;
  readonly #known = new Map<string, CatalogueEntry | undefined>();
  readonly #heads = new Map<string, CatalogueHead | undefined>();
  readonly #files = new Map<string, JsonFile<CatalogueEntry>>();
  /** Launches whose files have the first format. The next start rewrites them even if it adds nothing. */
  readonly #outdated = new Set<string>();
  readonly #reported = new Set<string>();
  readonly #writes: EntryWrites;

  constructor(folder: string, options: CatalogueOptions) {
    this.#folder = folder;
    this.#options = options;
    this.#writes = new EntryWrites({
      write: (launch, entry) => this.#write(launch, entry),
      writeNow: (launch, entry) => this.#writeNow(launch, entry),
      report: (message) => this.#reportOnce(message),
      onWritten: () => pruneEntries(folder),
    });
  }

  entry(launch: string): CatalogueEntry | undefined {
    if (!this.#known.has(launch)) this.#known.set(launch, this.#read(launch));
    return this.#known.get(launch);
  }

  head(launch: string): CatalogueHead | undefined {
    if (this.#known.has(launch)) return this.#known.get(launch);
    // `#read` follows and reports damage.
    if (!this.#heads.has(launch)) this.#heads.set(launch, readHead(this.#file(launch).path, launch));
    return this.#heads.get(launch);
  }

  tried(launch: string, server: string): void {
    // The head is quick to read; another process may have written the file since.
    if (this.head(launch) || this.#newest(launch)) return;
    this.#remember(launch, { server, failures: 0 }, undefined);
  }

  ready(launch: string, server: string, readyMs: number): void {
    const before = this.#newest(launch);
    const { interrupted: _forgotten, ...kept } = before ?? {};
    this.#remember(launch, { ...kept, server, failures: 0, readyMs: Math.round(readyMs) }, before);
  }

  failed(launch: string, server: string): void {
    const before = this.#newest(launch);
    this.#remember(launch, { ...before, server, failures: (before?.failures ?? 0) + 1 }, before);
  }

  interrupted(launch: string, server: string): void {
    const before = this.#newest(launch);
    const interrupted = (before?.interrupted ?? 0) + 1;
    this.#remember(launch, { failures: 0, ...before, server, interrupted }, before);
  }

  listed(launch: string, server: string, listing: KnownListing): void {
    const before = this.#newest(launch);
    this.#remember(launch, { failures: 0, ...before, server, listing }, before);
  }

  flush(): Promise<void> {
    return this.#writes.flush();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.flush();
  }

  /** What is pending, or what another process may have written since. */
  #newest(launch: string): CatalogueEntry | undefined {
    return this.#writes.get(launch) ?? this.#read(launch);
  }

  /** Through `current`: each start asks several times, and parsing a large file takes milliseconds. */
  #read(launch: string): CatalogueEntry | undefined {
    const file = this.#file(launch);
    const reading = file.current();
    if ("value" in reading) return reading.value;
    const { problem, reason, isOfFolder } = reading;
    this.#reportOnce(
      isOfFolder
        ? `nothing in ${this.#folder} is used: it ${problem}`
        : `the last known catalogue ${file.path} is not used: it ${reason}; it is replaced by the next listing`,
    );
    return undefined;
  }

  #remember(launch: string, entry: CatalogueEntry, before: CatalogueEntry | undefined): void {
    this.#known.set(launch, entry);
    // Most starts add nothing.
    if (before && addsNothing(before, entry) && this.#isKept(launch)) return;
    this.#writes.add(launch, entry);
  }

  /** Whether the last entry is in its file or will be. */
  #isKept(launch: string): boolean {
    if (this.#writes.get(launch)) return true;
    return !this.#outdated.has(launch) && keepEntryFile(entryPath(this.#folder, launch));
  }

  async #write(launch: string, entry: CatalogueEntry): Promise<void> {
    try {
      this.#wrote(launch, entry, await this.#file(launch).writeAsync(entry));
    } catch (thrown) {
      this.#refused(thrown);
    }
  }

  #writeNow(launch: string, entry: CatalogueEntry): void {
    try {
      this.#wrote(launch, entry, this.#file(launch).write(entry));
    } catch (thrown) {
      this.#refused(thrown);
    }
  }

  #file(launch: string): JsonFile<CatalogueEntry> {
    const known = this.#files.get(launch);
    if (known) return known;
    const schema = entrySchema(launch, () => this.#outdated.add(launch));
    const file = openJsonFile(entryPath(this.#folder, launch), schema, { disk: this.#options.disk });
    this.#files.set(launch, file);
    return file;
  }

  #wrote(launch: string, entry: CatalogueEntry, stored: CatalogueEntry): void {
    this.#outdated.delete(launch);
    if (entry.listing && !stored.listing)
      this.#reportOnce(`the tools of server "${entry.server}" are too large to be remembered`);
  }

  #refused(thrown: unknown): void {
    this.#reportOnce(`the last known catalogue cannot be written: ${describeError(thrown)}`);
  }

  #reportOnce(message: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.report(message);
  }
}
