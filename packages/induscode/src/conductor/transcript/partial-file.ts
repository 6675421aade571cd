import { closeSync, ftruncateSync, openSync } from "node:fs";
import { cutText } from "indusagi/core";
import { writeAt } from "./write-at.ts";

/** Secrets up to this length are found, however small the pieces are in which they arrive. */
const MAX_TAIL = 1_024;

/**
 * The text of the answer that is still arriving, on the disk. The end of it is written again with each piece, because a secret
 * may arrive in several.
 */
export class PartialFile {
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

  /** Throws if the disk refuses. */
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

  /** Between two words, where no secret is cut. */
  #shortenTail(): void {
    const most = cutText(this.#tail, this.#tail.length - MAX_TAIL);
    const space = Math.max(most.lastIndexOf(" "), most.lastIndexOf("\n"));
    const done = space > 0 ? most.slice(0, space + 1) : most;
    this.#tailAt += Buffer.byteLength(this.#redact(done));
    this.#tail = this.#tail.slice(done.length);
  }
}
