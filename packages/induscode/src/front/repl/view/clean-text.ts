import { escapeForDisplay } from "indusagi/core";
import { withoutJoiners } from "../../../screen/internal.ts";

/** What the next piece may complete: a line break, joined emoji, or half of a surrogate pair. */
const HELD = /(?:\r|(?:\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?\u200d?){0,8}[\ud800-\udbff]?)$/u;

/** Escapes text that arrives in pieces. A character cut between two pieces waits for its rest. */
export class TextCleaner {
  #held = "";

  /** The piece, after what the previous one held back. */
  push(piece: string): string {
    const text = this.#held + piece;
    const end = HELD.exec(text)?.index ?? text.length;
    this.#held = text.slice(end);
    return cleanText(text.slice(0, end));
  }

  end(): string {
    const rest = this.#held;
    this.#held = "";
    return cleanText(rest);
  }
}

/** Text of several lines, safe to show. */
export function cleanText(text: string): string {
  const lines = withoutJoiners(text).replaceAll(/\r\n?/g, "\n").replaceAll("\t", "    ");
  return escapeForDisplay(lines, { keepNewlines: true });
}
