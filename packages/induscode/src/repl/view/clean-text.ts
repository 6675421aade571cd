import { escapeForDisplay } from "indusagi/core";

/** Makes a text that arrives in pieces safe to show. A character that is cut by a piece waits for its rest. */
export class TextCleaner {
  #held = "";

  /** The piece, with what the one before held back. */
  push(piece: string): string {
    const text = this.#held + piece;
    // Half of a pair of units, or a carriage return that may belong to a line break.
    const end = /[\ud800-\udbff\r]$/.test(text) ? text.length - 1 : text.length;
    this.#held = text.slice(end);
    return clean(text.slice(0, end));
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return clean(rest);
  }
}

function clean(text: string): string {
  return escapeForDisplay(text.replaceAll(/\r\n?/g, "\n").replaceAll("\t", "    "), { keepNewlines: true });
}
