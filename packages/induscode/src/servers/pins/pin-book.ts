import { describeError } from "indusagi/core";
import { type ExtensionKey, exactPackageVersion, type ServerConfig } from "indusagi/interop";
import { type JsonFile, valueOrNothing } from "../../state/index.ts";
import { type Pin, pinKey, type ServerPins } from "./pin.ts";
import { type ListingMemo, type PinFile, type PinStore, updatePins } from "./pin-store.ts";
import { serverSource } from "./server-source.ts";

/** What a listing reports about its server. */
export interface ListingVersion {
  /** False: the listing is from an earlier run. */
  readonly isLive: boolean;
  readonly version?: string | undefined;
}

export interface PinBookOptions {
  readonly store: PinStore;
  /** For what the server lists for clients with these. Default: for all others. */
  readonly extensions?: ExtensionKey | undefined;
  /** Called once with a reason if pins cannot be stored. */
  readonly onProblem: (problem: string) => void;
  /** Called when another process has changed pins of this server. */
  readonly onForeignChange: () => void;
}

/** The prefix of the keys of tools. */
const TOOL = pinKey("tool", "");
const INSTRUCTIONS = pinKey("instructions", "");

/**
 * The pins of one server in memory. Decisions count at once and are stored in the background. A pin that another process
 * changed meanwhile, for example by an approval, is taken from the file.
 */
export class PinBook {
  readonly #server: string;
  readonly #source: string;
  readonly #options: PinBookOptions;
  readonly #file: PinFile;
  readonly #memoFile: JsonFile<ListingMemo> | undefined;
  #pins = new Map<string, Pin>();
  #version: string | undefined;
  #packageVersion: string | undefined;
  #problem: string | undefined;
  #stamp = "";
  /** The last listing that was reviewed without findings. While the server lists the same, the pins are not even read. */
  #memo: ListingMemo | undefined;
  #isRead = false;
  /** A listing without findings, until the pins it was reviewed with are stored. */
  #reviewed: string | undefined;
  /** Instructions that were reviewed with these pins and are used unchanged. */
  #instructions: string | undefined;
  /** Changes that are not stored yet, each with the pin it is based on. */
  #unstored = new Map<string, { readonly base: Pin | undefined; readonly next: Pin }>();
  #isHeadUnstored = false;
  #storing: Promise<void> | undefined;
  /** The last write of the memo. Writes run one after another. */
  #keeping: Promise<unknown> = Promise.resolve();

  constructor(config: ServerConfig, options: PinBookOptions) {
    this.#server = config.id;
    this.#source = serverSource(config, options.extensions);
    this.#options = options;
    this.#file = options.store.pins(this.#server, this.#source);
    this.#memoFile = options.store.memo?.(this.#server, this.#source);
    this.#memo = this.#memoFile && valueOrNothing(this.#memoFile.read());
    this.#load();
  }

  get path(): string {
    return this.#file.path;
  }

  /** Why the stored pins cannot be used, as a clause. */
  get problem(): string | undefined {
    this.#read();
    return this.#problem;
  }

  /** Whether any form waits for approval. */
  get isWaiting(): boolean {
    if (this.#problem !== undefined) return true;
    if (!this.#isRead) return false; // The memo stands for pins without any that wait.
    for (const { waiting } of this.#pins.values()) if (waiting) return true;
    return false;
  }

  /** Whether this listing was reviewed before, with these pins, without findings. See `listingHash`. */
  isReviewed(listing: string, config: ServerConfig, { isLive, version }: ListingVersion): boolean {
    const memo = this.#memo;
    if (this.#problem !== undefined || memo?.pins !== this.#stamp || memo?.listing !== listing) return false;
    return !isLive || (memo.version === version && memo.packageVersion === exactPackageVersion(config));
  }

  /** Remembers a listing without findings, as soon as the pins are stored. */
  keepReviewed(listing: string): void {
    this.#reviewed = listing;
    if (!this.#storing) this.#keepMemo();
  }

  /** Whether these instructions were reviewed before, with these pins, and are used unchanged. See `instructionsHash`. */
  isApproved(instructions: string): boolean {
    const memo = this.#memo;
    return this.#problem === undefined && memo?.pins === this.#stamp && memo?.instructions === instructions;
  }

  /** Remembers instructions that are used unchanged, as soon as the pins are stored. */
  keepApproved(instructions: string): void {
    this.#instructions = instructions;
    if (this.#storing || this.#unstored.size > 0 || this.#memo?.pins !== this.#stamp) return;
    this.#reviewed ??= this.#memo?.listing;
    this.#keepMemo();
  }

  pin(key: string): Pin | undefined {
    this.#read();
    return this.#pins.get(key);
  }

  /** Whether the row names an exact package version and nothing suggests that the server is another version. */
  isSamePackage(config: ServerConfig, { isLive, version }: ListingVersion): boolean {
    this.#read();
    const exact = exactPackageVersion(config);
    if (exact === undefined || exact !== (this.#packageVersion ?? exact)) return false;
    return !isLive || version === this.#version;
  }

  /** Stores the version of a live listing. Call it after all its forms were reviewed. */
  listed(config: ServerConfig, { isLive, version }: ListingVersion): void {
    this.#read();
    const exact = exactPackageVersion(config);
    if (!isLive || (version === this.#version && exact === this.#packageVersion)) return;
    this.#version = version;
    this.#packageVersion = exact;
    this.#isHeadUnstored = true;
  }

  set(key: string, next: Pin): void {
    this.#read();
    const base = this.#pins.get(key);
    if (base === next) return;
    if (key === INSTRUCTIONS) this.#instructions = undefined;
    if (key.startsWith(TOOL)) this.#memo = this.#reviewed = undefined;
    // The pins of prompts are in the same file: the memo of the tools carries over.
    else if (this.#memo?.pins === this.#stamp) this.#reviewed ??= this.#memo?.listing;
    this.#pins.set(key, next);
    this.#unstored.set(key, { base: this.#unstored.get(key)?.base ?? base, next });
  }

  /** Stores pending changes. Never rejects. */
  async stored(): Promise<void> {
    const isUsable = this.#problem === undefined;
    if (isUsable && (this.#isHeadUnstored || this.#unstored.size > 0)) this.#storing ??= this.#store();
    await this.#storing;
    await this.#keeping;
  }

  /** Reads the file again if another process has changed it. */
  refresh(): void {
    if (this.#storing || this.#file.stamp() === this.#stamp) return;
    this.#load();
    this.#options.onForeignChange();
  }

  /** Reads the file, unless the memo stands for it. */
  #load(mustRead = false): void {
    this.#stamp = this.#file.stamp();
    this.#instructions = undefined;
    this.#isRead = mustRead || this.#stamp === "" || this.#memo?.pins !== this.#stamp;
    if (!this.#isRead) return;
    const reading = this.#file.read();
    this.#problem = "problem" in reading ? reading.problem : undefined;
    if ("value" in reading) this.#take(reading.value);
  }

  /** Reads the pins that the memo stands for. */
  #read(): void {
    if (!this.#isRead) this.#load(true);
  }

  #take(found: ServerPins | undefined): void {
    this.#pins = new Map(found?.pins);
    this.#version = found?.version;
    this.#packageVersion = found?.packageVersion;
  }

  async #store(): Promise<void> {
    const { onProblem, onForeignChange } = this.#options;
    await Promise.resolve(); // All forms of one listing are stored together.
    try {
      while (this.#isHeadUnstored || this.#unstored.size > 0) {
        const changes = this.#unstored;
        this.#unstored = new Map();
        this.#isHeadUnstored = false;
        let isForeign = false;
        const { value, stamp } = await updatePins(this.#file, (now) => {
          const { pins, skipped } = applied(now?.pins, changes);
          isForeign = skipped || this.#differs(pins);
          return this.#withHead(pins);
        });
        this.#stamp = stamp;
        if (!isForeign) continue;
        this.#reviewed = this.#instructions = undefined;
        this.#pins = new Map(value?.pins);
        for (const [key, { next }] of this.#unstored) this.#pins.set(key, next);
        onForeignChange();
      }
    } catch (thrown) {
      onProblem(describeError(thrown));
      this.#reviewed = undefined;
    } finally {
      this.#storing = undefined;
      this.#keepMemo();
      // Nobody tells again of a change that came meanwhile.
      if (this.#options.store.onChange) this.refresh();
    }
  }

  /** Whether others have changed pins that are not waiting to be stored here. */
  #differs(stored: ReadonlyMap<string, Pin>): boolean {
    for (const [key, pin] of this.#pins)
      if (!this.#unstored.has(key) && !isSamePin(pin, stored.get(key))) return true;
    for (const key of stored.keys()) if (!this.#pins.has(key)) return true;
    return false;
  }

  #keepMemo(): void {
    const listing = this.#reviewed;
    this.#reviewed = undefined;
    const isStored = this.#unstored.size === 0 && !this.#isHeadUnstored && this.#stamp !== "";
    if (listing === undefined || !isStored || this.isWaiting) return;
    const memo = {
      pins: this.#stamp,
      listing,
      version: this.#version,
      packageVersion: this.#packageVersion,
      instructions: this.#instructions,
    };
    this.#memo = memo;
    // If it cannot be written, the next start reviews the listing again.
    const write = async (): Promise<unknown> => this.#memoFile?.writeAsync(memo).catch(() => undefined);
    this.#keeping = this.#keeping.then(write);
  }

  #withHead(pins: ReadonlyMap<string, Pin>): ServerPins {
    return {
      server: this.#server,
      source: this.#source,
      version: this.#version,
      packageVersion: this.#packageVersion,
      pins,
    };
  }
}

/** Applies changes to the stored pins, except where the stored pin is not the one the change is based on. */
function applied(
  now: ReadonlyMap<string, Pin> = new Map(),
  changes: ReadonlyMap<string, { readonly base: Pin | undefined; readonly next: Pin }>,
): { readonly pins: ReadonlyMap<string, Pin>; readonly skipped: boolean } {
  const pins = new Map(now);
  let skipped = false;
  for (const [key, { base, next }] of changes) {
    const isBase = isSamePin(pins.get(key), base);
    if (!isBase && !isSamePin(pins.get(key), next)) skipped = true;
    if (!isBase) continue;
    pins.delete(key); // Moves it to the end.
    pins.set(key, next);
  }
  return { pins, skipped };
}

function isSamePin(a: Pin | undefined, b: Pin | undefined): boolean {
  if (!a || !b) return a === b;
  return a.hash === b.hash && a.waiting?.hash === b.waiting?.hash && a.isVolatile === b.isVolatile;
}
