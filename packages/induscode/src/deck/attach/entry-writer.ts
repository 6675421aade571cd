import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, callListener, describeError } from "indusagi/core";
import type { BridgeEntry } from "../ledger/index.ts";
import type { AppendResult, LedgerLog } from "../ledger-log/index.ts";
import { FlipThrottle } from "./flip-throttle.ts";

/** Formatting this many tools takes up to 10 ms. */
const PORTION = 4;

export interface EntryWriterOptions {
  readonly log: LedgerLog;
  readonly clock: Clock;
  /** What the log has already. */
  readonly stored: readonly BridgeEntry[];
  readonly report?: ((message: string) => void) | undefined;
}

/**
 * Appends entries to a log, batch by batch, with the log's numbering. Entries that the disk refuses are kept and retried with
 * the next ones. A tool that keeps flipping between known forms is stored once a minute.
 */
export class EntryWriter {
  readonly #log: LedgerLog;
  readonly #clock: Clock;
  readonly #throttle: FlipThrottle;
  readonly #closing = new AbortController();
  readonly #report: ((message: string) => void) | undefined;
  #isHolding = false;
  #pending: readonly BridgeEntry[] = [];
  #writing: Promise<void> | undefined;
  #lastProblem: string | undefined;

  constructor({ log, clock, stored, report }: EntryWriterOptions) {
    this.#log = log;
    this.#clock = clock;
    this.#throttle = new FlipThrottle(stored);
    this.#report = report;
  }

  add(entries: readonly BridgeEntry[]): void {
    this.#write(this.#throttle.take(entries, this.#clock.monotonicMs()));
    void this.#releaseLater();
  }

  /** Stores what was held back too. Resolves like `settled`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#write(this.#throttle.release(this.#clock.monotonicMs(), true));
    await this.settled();
  }

  /**
   * Resolves when every entry that is not held back is on disk, or the disk has refused. Retries entries refused before.
   * Never rejects.
   */
  async settled(): Promise<void> {
    if (this.#pending.length > 0) this.#writing ??= this.#writeAll();
    await this.#writing;
  }

  #write(entries: readonly BridgeEntry[]): void {
    this.#pending = [...this.#pending, ...entries];
    void this.settled();
  }

  /** Stores held entries when they are due. */
  async #releaseLater(): Promise<void> {
    if (this.#isHolding) return;
    this.#isHolding = true;
    for (let due = this.#throttle.dueMs; due !== undefined; due = this.#throttle.dueMs) {
      const waitMs = Math.max(0, due - this.#clock.monotonicMs());
      await this.#clock.sleep(waitMs, this.#closing.signal).catch(() => {});
      if (this.#closing.signal.aborted) break;
      this.#write(this.#throttle.release(this.#clock.monotonicMs()));
    }
    this.#isHolding = false;
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0 && (await this.#append(this.#pending)));
    // Reset here, not after awaiting the promise: entries added in between would wait for the next ones.
    this.#writing = undefined;
  }

  /** False if the disk refused. */
  async #append(batch: readonly BridgeEntry[]): Promise<boolean> {
    // Numbered up front: if one portion is refused, the later ones are out of order and refused too.
    const first = this.#log.nextSeq;
    try {
      const refused = await this.#appendInPortions(
        batch.map((entry, index) => Object.freeze({ ...entry, seq: first + index })),
      );
      this.#pending = this.#pending.slice(batch.length);
      this.#lastProblem = undefined;
      for (const { seq, error } of refused)
        callListener(this.#report, `entry ${seq} of the ledger was not stored: ${error.message}`);
      return true;
    } catch (error) {
      this.#pending = this.#pending.slice(Math.max(0, this.#log.nextSeq - first));
      this.#complain(`changes of the tools are not stored: ${describeError(error)}`);
      return false;
    }
  }

  /** A server can add hundreds of tools at once: yields between portions to let calls and the rest of the change run first. */
  async #appendInPortions(batch: readonly BridgeEntry[]): Promise<AppendResult["refused"]> {
    const appends: Promise<AppendResult>[] = [];
    for (let at = 0; at < batch.length; at += PORTION) {
      await nextTurn();
      const append = this.#log.append(batch.slice(at, at + PORTION));
      append.catch(() => {}); // Awaited below, with the other portions of the same flush.
      appends.push(append);
    }
    return (await Promise.all(appends)).flatMap(({ refused }) => refused);
  }

  /** A disk that stays full is reported once, not with every change. */
  #complain(message: string): void {
    if (message === this.#lastProblem) return;
    this.#lastProblem = message;
    callListener(this.#report, message);
  }
}
