import { mkdirSync } from "node:fs";
import { describeError, type FileDisk, replaceFileAsync, replaceFileSync } from "indusagi/core";
import {
  type CatalogueEntry,
  type CatalogueHead,
  type KnownListing,
  saysTheSame,
} from "./catalogue-entry.ts";
import { entryContent } from "./entry-content.ts";
import { entryPath, entryStamp, keepEntryFile, pruneEntries, readEntryFile } from "./entry-file.ts";
import { isFirstFormat, parseEntry, parseHead } from "./entry-text.ts";
import { EntryWrites } from "./entry-writes.ts";

/**
 * The last known catalogue of each server, by the hash of its launch: what it offered, how long it took to start, and
 * whether its last starts failed. It outlives the process. Several processes may use one folder at the same time: each
 * file is replaced as a whole, and the last writer wins.
 */
export interface Catalogue extends AsyncDisposable {
  /** What is known of a launch. A damaged file counts as absent and is reported once. */
  entry(launch: string): CatalogueEntry | undefined;
  /** The same without the lists, which takes a small part of the time. A damaged file counts as absent. */
  head(launch: string): CatalogueHead | undefined;
  /** Remembers that a start has begun, if nothing is known of the launch yet. */
  tried(launch: string, server: string): void;
  /** Remembers a start that succeeded. The failures before it are forgotten. */
  ready(launch: string, server: string, readyMs: number): void;
  /** Remembers a start that failed. The last good listing stays. */
  failed(launch: string, server: string): void;
  /** Remembers a good listing. */
  listed(launch: string, server: string, listing: KnownListing): void;
  /** Writes what is not in its file yet. Never rejects. */
  flush(): Promise<void>;
}

export interface CatalogueOptions {
  /** Called for each file that cannot be used or written, with one line. */
  readonly report: (message: string) => void;
  /** For the writes in the background. Default: this machine's disk. */
  readonly disk?: FileDisk;
}

/** Opens the catalogue in a folder, which is created if it does not exist. Closing it writes what is not written yet. */
export function openCatalogue(folder: string, options: CatalogueOptions): Catalogue {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return new CatalogueFolder(folder, options);
}

class CatalogueFolder implements Catalogue {
  readonly #folder: string;
  readonly #options: CatalogueOptions;
  readonly #known = new Map<string, CatalogueEntry | undefined>();
  readonly #heads = new Map<string, CatalogueHead | undefined>();
  /** What the files contained when they were last read or written. */
  readonly #stored = new Map<string, { readonly stamp: string; readonly entry: CatalogueEntry }>();
  /** The launches whose files are of the first shape. The next start writes them again, also if it brings nothing new. */
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
    if (!this.#heads.has(launch)) this.#heads.set(launch, this.#readHead(launch));
    return this.#heads.get(launch);
  }

  tried(launch: string, server: string): void {
    // The head alone is quickly read; another process may have written the file since.
    if (this.head(launch) || this.#newest(launch)) return;
    this.#remember(launch, { server, failures: 0 }, undefined);
  }

  ready(launch: string, server: string, readyMs: number): void {
    const before = this.#newest(launch);
    this.#remember(launch, { ...before, server, failures: 0, readyMs: Math.round(readyMs) }, before);
  }

  failed(launch: string, server: string): void {
    const before = this.#newest(launch);
    this.#remember(launch, { ...before, server, failures: (before?.failures ?? 0) + 1 }, before);
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

  /** What is to be written, or what another process may have written since. */
  #newest(launch: string): CatalogueEntry | undefined {
    return this.#writes.get(launch) ?? this.#read(launch);
  }

  #read(launch: string): CatalogueEntry | undefined {
    const path = entryPath(this.#folder, launch);
    const { stamp } = entryStamp(path);
    const stored = this.#stored.get(launch);
    // Each start asks several times, and to parse a large file takes milliseconds.
    if (stored && stored.stamp === stamp) return stored.entry;
    const reading = readEntryFile(path);
    if ("problem" in reading && reading.isAbsent) return undefined;
    const entry = "text" in reading ? parseEntry(launch, reading.text) : undefined;
    if ("text" in reading && isFirstFormat(reading.text)) this.#outdated.add(launch);
    if (entry) this.#stored.set(launch, { stamp, entry });
    else if ("problem" in reading && reading.isOfFolder)
      this.#reportOnce(`nothing in ${this.#folder} is used: it ${reading.problem}; ${reading.remedy}`);
    else {
      const why = "problem" in reading ? reading.problem : "is damaged";
      this.#reportOnce(
        `the last known catalogue ${path} is not used: it ${why}; it is replaced by the next listing`,
      );
    }
    return entry;
  }

  /** Damage is reported by `#read`, which follows. */
  #readHead(launch: string): CatalogueHead | undefined {
    const reading = readEntryFile(entryPath(this.#folder, launch), "first-line");
    return "text" in reading ? parseHead(launch, reading.text) : undefined;
  }

  #remember(launch: string, entry: CatalogueEntry, before: CatalogueEntry | undefined): void {
    this.#known.set(launch, entry);
    // Most starts bring nothing new.
    if (before && saysTheSame(before, entry) && this.#isKept(launch)) return;
    this.#writes.add(launch, entry);
  }

  /** Whether what was remembered last is in its file or will be. */
  #isKept(launch: string): boolean {
    if (this.#writes.get(launch)) return true;
    return !this.#outdated.has(launch) && keepEntryFile(entryPath(this.#folder, launch));
  }

  async #write(launch: string, entry: CatalogueEntry): Promise<void> {
    try {
      const file = this.#fileOf(launch, entry);
      await replaceFileAsync({ ...file, disk: this.#options.disk });
      this.#wrote(launch, entry, file);
    } catch (thrown) {
      this.#refused(thrown);
    }
  }

  #writeNow(launch: string, entry: CatalogueEntry): void {
    try {
      const file = this.#fileOf(launch, entry);
      replaceFileSync(file);
      this.#wrote(launch, entry, file);
    } catch (thrown) {
      this.#refused(thrown);
    }
  }

  #fileOf(launch: string, entry: CatalogueEntry): EntryFile {
    const { content, kept } = entryContent(launch, entry);
    if (kept === "no listing")
      this.#reportOnce(`the tools of server "${entry.server}" are too large to be remembered`);
    const path = entryPath(this.#folder, launch);
    // A damaged file counts as absent, so waiting for the disk would only delay calls.
    return { path, content, isWhole: kept === "all", mode: 0o600, canLose: true };
  }

  #wrote(launch: string, entry: CatalogueEntry, { path, content, isWhole }: EntryFile): void {
    this.#outdated.delete(launch);
    const { stamp, size } = entryStamp(path);
    // Another process may have replaced the file since.
    if (isWhole && size === content.length) this.#stored.set(launch, { stamp, entry });
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

interface EntryFile {
  readonly path: string;
  readonly content: Buffer;
  /** False if the file lacks a part of its entry. */
  readonly isWhole: boolean;
  readonly mode: number;
  readonly canLose: true;
}
