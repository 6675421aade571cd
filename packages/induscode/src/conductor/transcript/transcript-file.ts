import { closeSync, fdatasync, ftruncateSync, openSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { diskProblem } from "./disk-problem.ts";
import { PartialFile } from "./partial-file.ts";
import { formatRecord, type TranscriptRecord } from "./transcript-record.ts";
import { writeAt } from "./write-at.ts";

export const TRANSCRIPT_FILE = "transcript.jsonl";
/** The text of the answer that is still arriving. */
export const PARTIAL_FILE = "partial.txt";

export interface TranscriptFileOptions {
  /** How many bytes of the file are good. The rest is overwritten. Default: a new file. */
  readonly goodBytes?: number;
  readonly redact?: (text: string) => string;
  /** Called once when the disk refuses a line, and once when it takes lines again. */
  readonly report: (message: string) => void;
}

const datasync = promisify(fdatasync);

/**
 * The transcript of a session on the disk. A record is written before this class returns, so that a crash of the process loses
 * nothing; the disk is asked to keep it soon after, and `flush` waits for that. If the disk refuses a record, the session goes
 * on: what is missing is kept in memory and written when the disk takes it.
 */
export class TranscriptFile {
  readonly #path: string;
  readonly #file: number;
  readonly #partial: PartialFile;
  readonly #redact: (text: string) => string;
  readonly #report: (message: string) => void;
  readonly #missing: Buffer[] = [];
  #bytes: number;
  #isRefused = false;
  #isClosed = false;
  #isDirty = false;
  #syncing: Promise<void> | undefined;

  /** Throws if the files cannot be opened. */
  constructor(folder: string, { goodBytes, redact = (text) => text, report }: TranscriptFileOptions) {
    this.#path = join(folder, TRANSCRIPT_FILE);
    this.#redact = redact;
    this.#report = report;
    this.#file = openSync(this.#path, goodBytes === undefined ? "wx" : "r+", 0o600);
    this.#partial = new PartialFile(join(folder, PARTIAL_FILE), redact);
    this.#bytes = goodBytes ?? 0;
    if (goodBytes !== undefined) ftruncateSync(this.#file, goodBytes);
  }

  append(record: TranscriptRecord): void {
    this.#missing.push(Buffer.from(formatRecord(record, this.#redact)));
    this.#write();
    void this.#sync();
  }

  /** Adds text of an answer that is still arriving. */
  appendPartial(text: string): void {
    if (this.#isClosed) return;
    try {
      this.#partial.append(text);
    } catch {
      // The disk is full: the entry that follows reports it.
    }
  }

  /** The answer has become an entry. */
  clearPartial(): void {
    if (this.#isClosed) return;
    try {
      this.#partial.clear();
    } catch {
      // The text would only appear twice after a crash.
    }
  }

  /** Waits until the disk has everything. False if it refuses. */
  async flush(): Promise<boolean> {
    this.#write();
    while (this.#isDirty || this.#syncing) await (this.#syncing ?? this.#sync());
    return this.#missing.length === 0;
  }

  /** What comes later is reported as refused. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    closeSync(this.#file);
    this.#partial.close();
  }

  #write(): void {
    try {
      for (let next = this.#missing[0]; next; next = this.#missing[0]) {
        // Its number may belong to another file by now.
        if (this.#isClosed) throw new Error("it is closed");
        // Always from the last good byte: a line that was written by half is overwritten.
        this.#bytes += writeAt(this.#file, next, this.#bytes);
        this.#missing.shift();
        this.#isDirty = true;
      }
      if (this.#isRefused) this.#report(`the transcript ${this.#path} is complete again`);
      this.#isRefused = false;
    } catch (thrown) {
      if (this.#isRefused) return;
      this.#isRefused = true;
      const why = diskProblem(thrown);
      this.#report(
        `the transcript ${this.#path} cannot be written: ${why}; the session goes on without it until that is possible again`,
      );
    }
  }

  #sync(): Promise<void> {
    this.#syncing ??= this.#syncAll().finally(() => (this.#syncing = undefined));
    return this.#syncing;
  }

  async #syncAll(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      // A file system without this operation has written all that it can.
      await datasync(this.#file).catch(() => {});
    }
  }
}
