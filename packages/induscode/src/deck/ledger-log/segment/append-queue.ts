import { LedgerLogError, systemRefusal } from "../ledger-log-error.ts";
import { type LogFile, writeLogBytes } from "../log-disk.ts";
import { MAX_BLOCK_BYTES, type RecordBlock } from "../record/record-blocks.ts";

interface Waiting extends RecordBlock {
  readonly acknowledge: () => void;
  readonly refuse: (why: LedgerLogError) => void;
}

/** The file of a queue and its state at the start. */
export interface QueueStart<Entry> {
  readonly path: string;
  /** Formats entries as records, numbered from `nextSeq`. Throws a `LedgerLogError` to refuse all of them. */
  readonly format: (path: string, entries: readonly Entry[], nextSeq: number) => RecordBlock[];
  readonly file: LogFile;
  /** The size of the file. All of it is flushed. */
  readonly bytes: number;
  readonly lastSeq: number;
  /** Called when waiting entries were refused: what was formatted but not flushed never will be. */
  readonly onRefused?: () => void;
}

/**
 * Writes entries in order and acknowledges them when they are flushed. Entries that arrive during a flush share the next one.
 *
 * After a failure that leaves the state of the disk unknown it refuses all entries: a later successful flush does not prove
 * that the data of a failed one was written. After "no space" the partial write is cut off, so the state is known and the
 * queue continues.
 */
export class AppendQueue<Entry> {
  readonly #path: string;
  readonly #format: QueueStart<Entry>["format"];
  readonly #file: LogFile;
  readonly #onRefused: (() => void) | undefined;
  #safeBytes: number;
  #safeSeq: number;
  #nextSeq: number;
  #waiting: Waiting[] = [];
  #draining: Promise<void> | undefined;
  #refusal: LedgerLogError | undefined;

  constructor({ path, format, file, bytes, lastSeq, onRefused }: QueueStart<Entry>) {
    this.#onRefused = onRefused;
    this.#path = path;
    this.#format = format;
    this.#file = file;
    this.#safeBytes = bytes;
    this.#safeSeq = lastSeq;
    this.#nextSeq = lastSeq + 1;
  }

  /** The size of the file, as far as it is flushed. */
  get bytes(): number {
    return this.#safeBytes;
  }

  /** The sequence number that the next entry must have. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Resolves when all entries are flushed; rejects if one may not be. */
  async append(entries: readonly Entry[]): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    const blocks = this.#format(this.#path, entries, this.#nextSeq);
    this.#nextSeq = (blocks.at(-1)?.lastSeq ?? this.#nextSeq - 1) + 1;
    const settled = blocks.map(
      (block) =>
        new Promise<void>((acknowledge, refuse) => {
          this.#waiting.push({ ...block, acknowledge, refuse });
        }),
    );
    if (blocks.length > 0) this.#draining ??= this.#drain();
    await Promise.all(settled);
  }

  /** Refuses further entries; resolves when all waiting ones are settled. */
  async end(): Promise<void> {
    this.#refusal ??= new LedgerLogError("closed", this.#path, "is closed");
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = takeBatch(this.#waiting);
      try {
        await this.#commit(batch);
        for (const { flushed, acknowledge } of batch) {
          flushed?.();
          acknowledge();
        }
      } catch (thrown) {
        // Later entries would leave a gap in the numbering, so they are refused too.
        const refused = [...batch, ...this.#waiting.splice(0)];
        this.#nextSeq = this.#safeSeq + 1;
        this.#onRefused?.();
        for (const { refuse } of refused) refuse(thrown as LedgerLogError);
      }
    }
    this.#draining = undefined;
  }

  async #commit(batch: readonly RecordBlock[]): Promise<void> {
    const bytes = Buffer.concat(batch.map((block) => block.bytes));
    try {
      await writeLogBytes(this.#file, bytes, this.#safeBytes);
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

  /** Removes unacknowledged bytes. If that fails too, the next process that opens the segment sets them aside. */
  async #cutBack(): Promise<boolean> {
    try {
      await this.#file.truncate(this.#safeBytes);
      return true;
    } catch {
      return false;
    }
  }

  #fail(cause: LedgerLogError): void {
    const message = "accepts no more entries, because an earlier write failed; open it again";
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
