import type { ServerResponse } from "node:http";
import { roomIn } from "./slow-client.ts";

/** Part of a text, as characters or as bytes. */
export type Piece = string | Uint8Array;

/** A text: as a whole, or in parts if it is large or exists in parts. */
export type Written = string | Iterable<Piece>;

/** Writes the body of one HTTP response in order: short texts at once, long ones in pieces, as fast as the client reads. */
export class ResponseWriter {
  readonly #out: ServerResponse;
  /** What follows the long text that is being written. */
  readonly #waiting: Iterable<Piece>[] = [];
  #isBusy = false;
  #isEnding = false;

  constructor(out: ServerResponse) {
    this.#out = out;
  }

  /** False if the response has ended, even by other code, or if its client is gone. */
  get isOpen(): boolean {
    return !this.#isEnding && !this.#isOver;
  }

  get #isOver(): boolean {
    return this.#out.destroyed || this.#out.writableEnded;
  }

  write(text: Written): void {
    if (!this.isOpen) return;
    if (typeof text === "string" && !this.#isBusy) return void this.#out.write(text);
    this.#waiting.push(typeof text === "string" ? [text] : text);
    if (!this.#isBusy) void this.#writePieces();
  }

  /** Ends the response after everything that was written. */
  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (!this.#isBusy) this.#out.end();
  }

  async #writePieces(): Promise<void> {
    this.#isBusy = true;
    for (let text = this.#waiting.shift(); text; text = this.#waiting.shift())
      for (const piece of text) {
        if (!this.#out.write(piece)) await roomIn(this.#out);
        if (this.#isOver) return;
      }
    this.#isBusy = false;
    if (this.#isEnding) this.#out.end();
  }
}
