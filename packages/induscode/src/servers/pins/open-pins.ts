import { bytesHash, type Clock, isoTime, Listeners, systemClock } from "indusagi/core";
import {
  EXTENSION_KEYS,
  type ExtensionKey,
  exactPackageVersion,
  type ListedItem,
  type PinLevel,
  type ReviewedListing,
  type ReviewedTools,
  type ServerConfig,
  type ToolDefinition,
  type ToolReview,
} from "indusagi/interop";
import type { ToolSelfDescription } from "../../deck/ledger/index.ts";
import type { DecisionRecord } from "../../deck/ledger-log/index.ts";
import { PIN_FORMULA, type PinSubject, pinKey, seenForm } from "./pin.ts";
import { type ListingVersion, PinBook } from "./pin-book.ts";
import { definitionIn, instructionsForm, promptForm, promptIn, toolForm } from "./pin-forms.ts";
import { PinNotices } from "./pin-notices.ts";
import { openPinStore, type PinStore } from "./pin-store.ts";
import { reviewPin } from "./review-pin.ts";
import { serverSource } from "./server-source.ts";

export interface PinsOptions {
  /** Called with one line for each change that the user should know about. */
  readonly report?: (message: string) => void;
  /** Gets every decision, for the ledger. */
  readonly record?: (decisions: readonly DecisionRecord[]) => void;
  /** The folder of the workspace, for commands in messages. Default: the command is run in that folder. */
  readonly cwd?: string;
  /** More words for commands in messages, such as `--cluster`. */
  readonly words?: readonly string[] | undefined;
  readonly clock?: Clock;
  /** How often to look for approvals by other processes while something waits for one. Default 2 s. */
  readonly pollMs?: number;
}

/** The prompts of a list that are used. */
export interface ReviewedPrompts {
  readonly offered: readonly ListedItem[];
  /** By name, with the reason and the remedy. */
  readonly withheld: ReadonlyMap<string, string>;
}

/** The pins of a workspace: they review everything that servers say about themselves. */
export interface Pins extends ToolReview, AsyncDisposable {
  /** `isLive`: false if they are known from an earlier run, possibly in another folder, so none of them is pinned. Default true. */
  reviewPrompts(
    config: ServerConfig,
    prompts: readonly ListedItem[],
    isLive?: boolean,
    extensions?: ExtensionKey,
  ): ReviewedPrompts;
  /** The instructions to use; `undefined` if they are withheld. `isLive`: as above. */
  reviewInstructions(config: ServerConfig, instructions: string, isLive?: boolean): string | undefined;
  /** Resolves when the decisions so far are stored, or could not be. Never rejects. */
  stored(): Promise<void>;
}

/** Opens the pins in the state folder of a workspace. Closing them waits for the disk. */
export function openPins(stateFolder: string, options: PinsOptions = {}): Pins {
  return openPinsIn(openPinStore(stateFolder), options);
}

export function openPinsIn(store: PinStore, options: PinsOptions = {}): Pins {
  return new PinKeeper(store, options);
}

const POLL_MS = 2_000;

class PinKeeper implements Pins {
  readonly #store: PinStore;
  readonly #options: PinsOptions;
  readonly #clock: Clock;
  readonly #notices: PinNotices;
  readonly #changes = new Listeners<string>();
  readonly #books = new Map<string, PinBook>();
  readonly #reported = new Set<string>();
  #poll: NodeJS.Timeout | undefined;
  readonly #stop: (() => void) | undefined;

  constructor(store: PinStore, options: PinsOptions) {
    this.#store = store;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#notices = new PinNotices(options);
    this.#stop = store.onChange?.(() => this.#refresh());
  }

  review({ config, tools, isLive, version, extensions }: ReviewedListing): ReviewedTools {
    if (config.pin === "off") return { offered: tools, withheld: new Map() };
    const book = this.#book(config, extensions);
    const listing = listingHash(config, tools);
    if (listing !== undefined && book.isReviewed(listing, config, { isLive, version }))
      return { offered: tools, withheld: new Map() };
    const forms = tools.map((tool) => ({ name: tool.name, form: toolForm(tool) }));
    const { forms: used, withheld } = this.#review(config, "tool", forms, {
      isLive,
      listing: { isLive, version },
      extensions,
    });
    const offered = tools.flatMap((tool, at) => {
      const form = used[at];
      return form ? [form === forms[at]?.form ? tool : definitionIn(form, tool)] : [];
    });
    const hasFinding = offered.length < tools.length || offered.some((tool, at) => tool !== tools[at]);
    const isPinned = isLive || tools.every(({ name }) => book.pin(pinKey("tool", name)) !== undefined);
    if (listing !== undefined && isPinned && !hasFinding) book.keepReviewed(listing);
    return { offered, withheld };
  }

  callsAwait({ pin = "hold" }: ServerConfig): "connection" | "listing" | "review" {
    if (pin === "quarantine") return "review";
    return pin === "hold" ? "listing" : "connection";
  }

  reviewPrompts(
    config: ServerConfig,
    prompts: readonly ListedItem[],
    isLive = true,
    extensions?: ExtensionKey,
  ): ReviewedPrompts {
    if (config.pin === "off" || prompts.length === 0) return { offered: prompts, withheld: new Map() };
    const forms = prompts.map((prompt) => ({ name: String(prompt["name"]), form: promptForm(prompt) }));
    const reviewed = this.#review(config, "prompt", forms, { isLive, extensions });
    const offered = prompts.flatMap((prompt, at) => {
      const form = reviewed.forms[at];
      return form ? [form === forms[at]?.form ? prompt : promptIn(form, prompt)] : [];
    });
    return { offered, withheld: reviewed.withheld };
  }

  reviewInstructions(config: ServerConfig, instructions: string, isLive = true): string | undefined {
    if (config.pin === "off") return instructions;
    const book = this.#book(config);
    const hash = instructionsHash(config, instructions);
    if (book.isApproved(hash)) return instructions;
    const forms = [{ name: "", form: instructionsForm(instructions) }];
    const text = this.#review(config, "instructions", forms, { isLive }).forms[0]?.description;
    if (text === instructions && isLive) book.keepApproved(hash);
    return typeof text === "string" ? text : undefined;
  }

  onChange(listener: (server: string) => void): () => void {
    return this.#changes.add(listener);
  }

  async stored(): Promise<void> {
    await Promise.all([...this.#books.values()].map((book) => book.stored()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#poll);
    this.#stop?.();
    await this.stored();
  }

  #review(
    config: ServerConfig,
    subject: PinSubject,
    shown: readonly { readonly name: string; readonly form: ToolSelfDescription }[],
    { isLive, listing, extensions }: ReviewOf,
  ): { forms: readonly (ToolSelfDescription | undefined)[]; withheld: ReadonlyMap<string, string> } {
    const level = levelOf(config);
    const book = this.#book(config, extensions);
    const others = this.#otherBooks(config, extensions);
    const notice = this.#notices.of(config, subject);
    const at = isoTime(this.#clock.nowMs());
    // Prompts and instructions come after the tools of the same connection, so the version is known by then.
    const terms = { level, at, isSamePackage: book.isSamePackage(config, listing ?? { isLive: false }) };
    const forms = shown.map(({ name, form }) => {
      if (book.problem !== undefined) {
        notice.unusable(name, `${book.path} ${book.problem}`);
        return level === "warn" ? form : undefined;
      }
      const key = pinKey(subject, name);
      // A form that is new in this list is a change while another list has one that waits: it would be a way around that.
      const before = book.pin(key) ?? others.map((other) => other.pin(key)).find((pin) => pin?.waiting);
      // What is only remembered may come from another folder. The first listing in this one is pinned.
      if (!isLive && before === undefined) return form;
      const { pin, form: used, decisions } = reviewPin(before, seenForm(form), terms);
      book.set(key, pin);
      notice.reviewed(name, { decisions, at, withheld: used ? undefined : (pin.waiting?.reason ?? "") });
      return used;
    });
    if (listing) book.listed(config, listing);
    if (book.problem === undefined) void book.stored();
    if (book.isWaiting) this.#watch();
    return { forms, withheld: notice.send() };
  }

  /** The pins of the server's other lists. Of those for clients with extensions only the ones in use: most servers have none. */
  #otherBooks(config: ServerConfig, extensions = ""): readonly PinBook[] {
    const others = ["", ...EXTENSION_KEYS].filter((each) => each !== extensions);
    if (extensions !== "") return others.map((each) => this.#book(config, each));
    return others.flatMap((each) => this.#books.get(bookId(config, each)) ?? []);
  }

  #book(config: ServerConfig, extensions = ""): PinBook {
    const id = bookId(config, extensions);
    const known = this.#books.get(id);
    if (known) return known;
    const book = new PinBook(config, {
      store: this.#store,
      extensions,
      onProblem: (problem) => this.#reportOnce(`the approved forms of tools cannot be stored: ${problem}`),
      onForeignChange: () => this.#changes.emit(config.id),
    });
    this.#books.set(id, book);
    return book;
  }

  /** Users approve in another process. */
  #watch(): void {
    this.#poll ??= setInterval(() => this.#refresh(), this.#options.pollMs ?? POLL_MS).unref();
  }

  #refresh(): void {
    for (const book of this.#books.values()) book.refresh();
  }

  #reportOnce(message: string): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.report?.(message);
  }
}

/** What is reviewed. `extensions`: the list is for clients that declared these. */
interface ReviewOf {
  readonly isLive: boolean;
  readonly listing?: ListingVersion;
  readonly extensions?: ExtensionKey | undefined;
}

function bookId(config: ServerConfig, extensions: ExtensionKey): string {
  return `${config.id}\0${serverSource(config, extensions)}`;
}

/** The level of a row whose tools are reviewed. */
function levelOf({ pin = "hold" }: ServerConfig): Exclude<PinLevel, "off"> {
  return pin === "off" ? "hold" : pin;
}

/** Identifies instructions and the level at which they are reviewed. */
function instructionsHash({ pin = "hold" }: ServerConfig, instructions: string): string {
  return bytesHash(JSON.stringify([PIN_FORMULA, pin, instructions]));
}

/**
 * Identifies a listing and the row it is reviewed under. Another order of members gives another hash, which only costs one
 * more review. Undefined if the listing has no JSON.
 */
function listingHash(config: ServerConfig, tools: readonly ToolDefinition[]): string | undefined {
  try {
    const { pin = "hold" } = config;
    return bytesHash(JSON.stringify([PIN_FORMULA, pin, exactPackageVersion(config) ?? null, tools]));
  } catch {
    return undefined;
  }
}
