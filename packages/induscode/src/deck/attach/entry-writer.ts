import { setImmediate as nextTurn } from "node:timers/promises";
import { callListener, describeError } from "indusagi/core";
import type { BridgeEntry } from "../ledger/index.ts";
import type { AppendResult, LedgerLog } from "../log/index.ts";

/** Formatting this many tools takes up to 10 ms. */
const PORTION = 4;

/** Appends entries to a log one batch after the other. What the disk refuses is kept and tried again with the next entries. */
export class EntryWriter {
  readonly #log: LedgerLog;
  readonly #report: ((message: string) => void) | undefined;
  #pending: readonly BridgeEntry[] = [];
  #writing: Promise<void> | undefined;
  #lastProblem: string | undefined;

  constructor(log: LedgerLog, report?: (message: string) => void) {
    this.#log = log;
    this.#report = report;
  }

  add(entries: readonly BridgeEntry[]): void {
    this.#pending = [...this.#pending, ...entries];
    void this.settled();
  }

  /** Resolves when every entry is on the disk, or the disk has refused. Tries again what was refused before. Never rejects. */
  async settled(): Promise<void> {
    if (this.#pending.length > 0) this.#writing ??= this.#write();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#pending.length > 0 && (await this.#append(this.#pending)));
    // Here, not after the promise: entries that are added in between would wait for the next ones.
    this.#writing = undefined;
  }

  /** False if the disk refused. */
  async #append(batch: readonly BridgeEntry[]): Promise<boolean> {
    try {
      const refused = await this.#appendInPortions(batch);
      this.#pending = this.#pending.slice(batch.length);
      this.#lastProblem = undefined;
      for (const { seq, error } of refused)
        callListener(this.#report, `entry ${seq} of the ledger was not stored: ${error.message}`);
      return true;
    } catch (error) {
      const { nextSeq } = this.#log;
      this.#pending = this.#pending.filter(({ seq }) => seq >= nextSeq);
      this.#complain(`changes of the tools are not stored: ${describeError(error)}`);
      return false;
    }
  }

  /** Entries come while tools change, and a server can bring hundreds: the rest of the change, and calls, go first. */
  async #appendInPortions(batch: readonly BridgeEntry[]): Promise<AppendResult["refused"]> {
    const appends: Promise<AppendResult>[] = [];
    for (let at = 0; at < batch.length; at += PORTION) {
      await nextTurn();
      const append = this.#log.append(batch.slice(at, at + PORTION));
      append.catch(() => {}); // It is awaited below, with the other portions of the same flush.
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
