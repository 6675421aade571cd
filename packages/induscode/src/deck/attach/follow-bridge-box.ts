import { type Clock, isoTime, Listeners, systemClock, TimeSlices } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import type { ToolBox } from "indusagi/runtime";
import { type CapabilitySource, DeckFault } from "../contract/index.ts";
import {
  type BridgeCapability,
  type BridgeEntry,
  BridgeLedger,
  type BridgeSource,
  bridgeBoxSource,
  descriptorKey,
} from "../ledger/index.ts";
import type { LedgerLog } from "../ledger-log/index.ts";
import { bodyId } from "../ledger-log/internal.ts";
import { EntryWriter } from "./entry-writer.ts";
import { reconcileLedger } from "./reconcile-ledger.ts";

export interface FollowOptions {
  /** Continues this ledger. Default: that of the log, or an empty one. Tools that the box does not offer are retired. */
  readonly ledger?: BridgeLedger;
  /** Receives every event and stays open. Default: events are kept in memory only. */
  readonly log?: LedgerLog;
  /** Called with one line for each event that cannot be stored, and once for a disk that refuses. */
  readonly report?: (message: string) => void;
  readonly clock?: Clock;
}

/** A ledger that follows a mounted box, and the source of its tools for `ToolDeck.graft`. */
export interface LiveBridge extends CapabilitySource, AsyncDisposable {
  /** The events so far. Each change makes a new ledger. */
  readonly ledger: BridgeLedger;
  /** The live capabilities of the ledger. An unchanged tool is the same capability. */
  list(): readonly BridgeCapability[];
  /** Calls `listener` after every change, with its events. Returns a function that removes the listener. */
  onChange(listener: (entries: readonly BridgeEntry[]) => void): () => void;
  /**
   * Resolves when the events so far are on disk, or the disk has refused them. Never rejects. A tool that flips between known
   * forms is stored once a minute and on `close`, with the number of flips.
   */
  stored(): Promise<void>;
  /**
   * Takes the last changes of the box, stops following it, and waits for the disk. Tearing down the fleet before this retires
   * its tools; tearing it down afterwards leaves them live at the end of the log.
   */
  close(): Promise<void>;
}

/**
 * Turns each change of a mounted box into enroll and retire events. A server that restarts with the same tools causes none,
 * because the box does not change. Tools are available at once; the log is written in the background.
 */
export function followBridgeBox(box: ToolBox, options: FollowOptions = {}): LiveBridge {
  const { log, ledger = log?.ledger ?? BridgeLedger.empty() } = options;
  if (log && log.nextSeq !== ledger.nextSeq)
    throw new DeckFault(
      "bridge",
      `the ledger does not continue its log: the next entry of ${log.path} is ${log.nextSeq}, that of the ledger ${ledger.nextSeq}; follow one box per log`,
    );
  return new Follower(bridgeBoxSource(box), ledger, options);
}

class Follower implements LiveBridge {
  readonly #source: BridgeSource;
  readonly #clock: Clock;
  readonly #writer: EntryWriter | undefined;
  readonly #changes = new Listeners<readonly BridgeEntry[]>();
  readonly #unfollow: () => void;
  #ledger: BridgeLedger;
  #closing: Promise<void> | undefined;

  constructor(
    source: BridgeSource,
    ledger: BridgeLedger,
    { log, report, clock = systemClock }: FollowOptions,
  ) {
    this.#source = source;
    this.#ledger = ledger;
    this.#clock = clock;
    this.#writer = log && new EntryWriter({ log, clock, stored: ledger.log, report });
    this.#unfollow = source.onChange(() => this.#follow());
    this.#follow();
  }

  get ledger(): BridgeLedger {
    return this.#ledger;
  }

  list(): readonly BridgeCapability[] {
    return this.#ledger.liveCapabilities();
  }

  onChange(listener: (entries: readonly BridgeEntry[]) => void): () => void {
    return this.#changes.add(listener);
  }

  get refusalOf(): BridgeSource["refusalOf"] {
    return this.#source.refusalOf;
  }

  async stored(): Promise<void> {
    await this.#writer?.settled();
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #end(): Promise<void> {
    this.#follow();
    this.#unfollow();
    await this.#writer?.close();
  }

  #follow(): void {
    // Listing a box can itself report a change, so read the ledger after it.
    const offered = this.#source.list();
    const before = this.#ledger;
    const after = reconcileLedger(before, offered, { at: isoTime(this.#clock.nowMs()) });
    if (after === before) return;
    this.#ledger = after;
    const entries = after.log.slice(before.log.length);
    this.#writer?.add(entries);
    this.#changes.emit(entries);
  }
}

/**
 * Computes and caches the hashes that a ledger and its log need, yielding to other work: a thousand tools take as long as
 * starting a server.
 */
export async function prepareTools(tools: readonly ToolDescriptor[]): Promise<void> {
  const slices = new TimeSlices();
  for (const tool of tools) {
    try {
      descriptorKey(tool);
      bodyId(tool);
    } catch {
      // Nested too deeply to hash. The ledger handles that.
    }
    await slices.pause();
  }
}
