import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { cutText, describeError, errorCode } from "indusagi/core";
import { formatTranscriptRecord, type TranscriptRecord } from "./transcript-record.ts";

export const TRANSCRIPT_FILE = "transcript.jsonl";
/** The text of the answer that is still arriving. */
export const PARTIAL_FILE = "partial.txt";

interface TranscriptFileOptions {
  /** How many bytes of the file are good. The rest is overwritten. Default: a new file. */
  readonly goodBytes?: number | undefined;
  readonly redact?: ((text: string) => string) | undefined;
  /** Called once when a write fails, and once when writing works again. */
  readonly report: (message: string) => void;
}

const datasync = promisify(fdatasync);

/**
 * The transcript of a session on disk. `append` writes a record before it returns, so a crash of the process loses nothing; it
 * is synced to disk soon after, and `flush` waits for that. If a write fails, the session continues: missing records are kept in
 * memory and written when writing works again.
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
    this.#missing.push(Buffer.from(formatTranscriptRecord(record, this.#redact)));
    this.#write();
    void this.#sync();
  }

  /** Adds text of an answer that is still arriving. */
  appendPartial(text: string): void {
    if (this.#isClosed) return;
    try {
      this.#partial.append(text);
    } catch {
      // The disk is full: the next entry reports it.
    }
  }

  /** The answer has become an entry. */
  clearPartial(): void {
    if (this.#isClosed) return;
    try {
      this.#partial.clear();
    } catch {
      // At worst the text appears twice after a crash.
    }
  }

  /** Waits until everything is on disk. False if writing fails. */
  async flush(): Promise<boolean> {
    this.#write();
    while (this.#isDirty || this.#syncing) await (this.#syncing ?? this.#sync());
    return this.#missing.length === 0;
  }

  /** Later writes are reported as failed. */
  async close(): Promise<void> {
    await this.flush();
    this.#isClosed = true;
    closeSync(this.#file);
    this.#partial.close();
  }

  #write(): void {
    try {
      for (let next = this.#missing[0]; next; next = this.#missing[0]) {
        // The descriptor may belong to another file by now.
        if (this.#isClosed) throw new Error("it is closed");
        // Always from the last good byte, to overwrite a half-written line.
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
        `the transcript ${this.#path} cannot be written: ${why}; the session continues, and writes what is missing when it can`,
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
      // Some file systems do not support it.
      await datasync(this.#file).catch(() => {});
    }
  }
}

/** Secrets up to this length are found even when they arrive in small pieces. */
const MAX_TAIL = 1_024;

/** The answer that is still arriving, on disk. Each piece rewrites the end, because a secret may span several pieces. */
class PartialFile {
  readonly #file: number;
  readonly #redact: (text: string) => string;
  /** The end of the text, as it arrived. */
  #tail = "";
  /** Where it begins in the file. */
  #tailAt = 0;
  #bytes = 0;

  /** Throws if the file cannot be opened. */
  constructor(path: string, redact: (text: string) => string) {
    this.#file = openSync(path, "w", 0o600);
    this.#redact = redact;
  }

  /** Throws if the write fails. */
  append(text: string): void {
    this.#tail += text;
    const bytes = Buffer.from(this.#redact(this.#tail));
    const end = this.#tailAt + writeAt(this.#file, bytes, this.#tailAt);
    if (end < this.#bytes) ftruncateSync(this.#file, end);
    this.#bytes = end;
    if (this.#tail.length > 2 * MAX_TAIL) this.#shortenTail();
  }

  clear(): void {
    if (this.#bytes === 0) return;
    this.#tail = "";
    this.#tailAt = 0;
    this.#bytes = 0;
    ftruncateSync(this.#file, 0);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Cuts between two words, to not split a secret. */
  #shortenTail(): void {
    const most = cutText(this.#tail, this.#tail.length - MAX_TAIL);
    const space = Math.max(most.lastIndexOf(" "), most.lastIndexOf("\n"));
    const done = space > 0 ? most.slice(0, space + 1) : most;
    this.#tailAt += Buffer.byteLength(this.#redact(done));
    this.#tail = this.#tail.slice(done.length);
  }
}

/** Writes all bytes at a position and returns their number, or throws. */
function writeAt(file: number, bytes: Uint8Array, position: number): number {
  let done = 0;
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done);
  return done;
}

/** Why a write failed, in plain words. */
export function diskProblem(thrown: unknown): string {
  return errorCode(thrown) === "ENOSPC" ? "the disk is full" : describeError(thrown);
}
