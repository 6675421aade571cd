import { escapeForDisplay, shortenText } from "indusagi/core";
import { type Look, paint } from "../colour.ts";

/** Something to copy, such as a name or a URI, and a few words about it. */
export interface ListLine {
  readonly key: string;
  readonly about: string;
}

/** Longer keys are not aligned with. */
const MAX_KEY_CHARS = 48;
/** With less room the words about a key are left out. */
const MIN_ABOUT_CHARS = 4;

/** One line each, in two columns. The words are cut at the width; a key never is, because it would be useless. */
export function showLines(lines: readonly ListLine[], { width = Infinity, hasColours }: Look = {}): string {
  const keys = lines.map(({ key }) => escapeForDisplay(key));
  const column = Math.max(0, ...keys.map(({ length }) => length).filter((length) => length <= MAX_KEY_CHARS));
  return lines
    .map(({ about }, index) => {
      const key = keys[index] ?? "";
      const padding = " ".repeat(Math.max(0, column - key.length) + 2);
      const room = width - key.length - padding.length;
      const words = room < MIN_ABOUT_CHARS ? "" : shortenText(escapeForDisplay(about), room);
      return `${hasColours ? paint("bold", key) : key}${words === "" ? "" : padding + words}\n`;
    })
    .join("");
}
