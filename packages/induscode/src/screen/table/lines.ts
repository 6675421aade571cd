import { escapeForDisplay, shortenText } from "indusagi/core";
import { type Look, paint } from "../colour.ts";

/** Something to copy, such as a name or a URI, with a short description. */
export interface ListLine {
  readonly key: string;
  readonly about: string;
}

/** Longer keys and descriptions are cut even if the width is unknown. Most URIs are shorter. */
const MAX_CHARS = 256;
/** Longer keys do not widen the column. */
const MAX_KEY_CHARS = 48;
/** With less room, descriptions are left out. */
const MIN_ABOUT_CHARS = 4;

/**
 * One line each, in two columns. Descriptions are cut at the width. A key is cut only if it is very long: it is there to be
 * copied.
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
