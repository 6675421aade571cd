import { cutText, shortenText } from "./cut-text.ts";

export interface EscapeOptions {
  /** Keep line feeds, for texts of several lines. Default false: names and single lines. */
  readonly keepNewlines?: boolean;
}

// Control characters except the tab; format characters, which are invisible or change the reading direction (bidi,
// zero-width, tags); line and paragraph separators; lone surrogates; and the whole range of tags and selectors.
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2065\u{e0000}-\u{e0fff}]/gu;

/** Nearly all texts. The expression above takes about a millisecond to compile, so it waits for the first other one. */
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * Makes a text from outside safe to show: characters that move the cursor, reverse the reading direction or are
 * invisible become escapes such as `\x1b` or `\u{202e}`. All other characters stay, backslashes too.
 */
export function escapeForDisplay(text: string, options: EscapeOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, (char) => (char === "\n" && options.keepNewlines ? char : escapeOf(char)));
}

/** The longest name of a tool that MCP recommends. Longer ones are sent to fill a screen. */
const MAX_NAME_CHARS = 128;

/** A name from outside in a list or a message: escaped, and cut with "…" where it is longer than valid names are. */
export function showName(name: string): string {
  return shortenText(escapeForDisplay(cutText(name, MAX_NAME_CHARS + 1)), MAX_NAME_CHARS);
}

function escapeOf(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}
