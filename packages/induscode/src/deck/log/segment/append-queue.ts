import type { BridgeEntry } from "../../ledger/index.ts";
import type { LogFile } from "../disk/log-disk.ts";
import { writeFully } from "../disk/write-fully.ts";
import { LedgerLogError, systemRefusal } from "../ledger-log-error.ts";
import { formatEntries, MAX_BLOCK_BYTES, type RecordBlock } from "../record/format-entries.ts";

interface Waiting extends RecordBlock {
  readonly acknowledge: () => void;
  readonly refuse: (why: LedgerLogError) => void;
}

/** The file a queue writes to, as it is found. */
export interface QueueStart {
  readonly path: string;
  readonly file: LogFile;
  /** How long the file is: all of it is safe. */
  readonly bytes: number;
  readonly lastSeq: number;
}

/**
 * Puts entries on the disk, in order, and acknowledges them once they are safe there. Those that come while a flush is under
 * way share the next one.
 *
 * After a failure that leaves doubt about what is on the disk it refuses everything: a second flush that succeeds says nothing
 * about what the first one lost. A full disk leaves no doubt once the half-written part is cut off, so there it goes on.
 */
export class AppendQueue {
  readonly #path: string;
  readonly #file: LogFile;
  #safeBytes: number;
  #safeSeq: number;
  #nextSeq: number;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  #refusal: LedgerLogError | undefined;

  constructor({ path, file, bytes, lastSeq }: QueueStart) {
    this.#path = path;
    this.#file = file;
    this.#safeBytes = bytes;
    this.#safeSeq = lastSeq;
    this.#nextSeq = lastSeq + 1;
  }

  /** The number the next entry must carry. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Resolves once all of the entries are safe; rejects when one of them may not be. */
  async append(entries: readonly BridgeEntry[]): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    const blocks = formatEntries(this.#path, entries, this.#nextSeq);
    this.#nextSeq += entries.length;
    const settled = blocks.map(
      (block) =>
        new Promise<void>((acknowledge, refuse) => {
          this.#waiting.push({ ...block, acknowledge, refuse });
        }),
    );
    if (blocks.length > 0) this.#draining ??= this.#drain();
    await Promise.all(settled);
  }

  /** Takes no more; resolves when everything that waited has its answer. */
  async end(): Promise<void> {
    this.#refusal ??= new LedgerLogError("closed", this.#path, "is closed");
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = takeBatch(this.#waiting);
      try {
        await this.#commit(batch);
        for (const { acknowledge } of batch) acknowledge();
      } catch (thrown) {
        // What comes after a record that is not there would leave a gap: all of it is refused.
        const refused = [...batch, ...this.#waiting.splice(0)];
        this.#nextSeq = this.#safeSeq + 1;
        for (const { refuse } of refused) refuse(thrown as LedgerLogError);
      }
    }
    this.#draining = undefined;
  }

  async #commit(batch: readonly RecordBlock[]): Promise<void> {
    const bytes = Buffer.concat(batch.map((block) => block.bytes));
    try {
      await writeFully(this.#file, bytes, this.#safeBytes);
    } catch (cause) {
      const refusal = systemRefusal(this.#path, "written", cause);
      if (!(await this.#cutBack()) || refusal.kind !== "no_space") this.#fail(refusal);
      throw refusal;
    }
    try {
      await this.#file.sync();
    } catch (cause) {
      const refusal = systemRefusal(this.#path, "flushed", cause);
      await this.#cutBack();
      this.#fail(refusal);
      throw refusal;
    }
    this.#safeBytes += bytes.length;
    this.#safeSeq = batch.at(-1)?.lastSeq ?? this.#safeSeq;
  }

  /** Takes what is not acknowledged off the file again. When even that fails, the next to open it sets it aside. */
  async #cutBack(): Promise<boolean> {
    try {
      await this.#file.truncate(this.#safeBytes);
      return true;
    } catch {
      return false;
    }
  }

  #fail(cause: LedgerLogError): void {
    const message = "takes no more records, because an earlier one could not be made safe; open it again";
    this.#refusal ??= new LedgerLogError("failed", this.#path, message, { cause });
  }
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let bytes = 0;
  const over = waiting.findIndex((block) => {
    bytes += block.bytes.length;
    return bytes > MAX_BLOCK_BYTES;
  });
  return waiting.splice(0, over === -1 ? waiting.length : Math.max(1, over));
}
