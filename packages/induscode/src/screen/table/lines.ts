import { escapeForDisplay, shortenText } from "indusagi/core";
import { type Look, paint } from "../colour.ts";

/** Something to copy, such as a name or a URI, and a few words about it. */
export interface ListLine {
  readonly key: string;
  readonly about: string;
}

/** A longer key, or longer words, are cut also where the width is not known. Most URIs are shorter. */
const MAX_CHARS = 256;
/** Longer keys are not aligned with. */
const MAX_KEY_CHARS = 48;
/** With less room the words about a key are left out. */
const MIN_ABOUT_CHARS = 4;

/**
 * One line each, in two columns. The words are cut at the width. A key is cut only if it is very long: most commands take
 * it as it is.
 */
export function showLines(lines: readonly ListLine[], { width = Infinity, hasColours }: Look = {}): string {
  const keys = lines.map(({ key }) => shortenText(escapeForDisplay(key), MAX_CHARS));
  const column = Math.max(0, ...keys.map(({ length }) => length).filter((length) => length <= MAX_KEY_CHARS));
  return lines
    .map(({ about }, index) => {
      const key = keys[index] ?? "";
      const padding = " ".repeat(Math.max(0, column - key.length) + 2);
      const room = Math.min(MAX_CHARS, width - key.length - padding.length);
      const words = room < MIN_ABOUT_CHARS ? "" : shortenText(escapeForDisplay(about), room);
      return `${hasColours ? paint("bold", key) : key}${words === "" ? "" : padding + words}\n`;
    })
    .join("");
}
