import { cutText, shortenText } from "./cut-text.ts";

export interface EscapeOptions {
  /** Keep line feeds, for multi-line text. Default false. */
  readonly keepNewlines?: boolean;
}

// Control characters except the tab; format characters, which are invisible or change the reading direction (bidi,
// zero-width, tags); line and paragraph separators; lone surrogates; and the whole range of tags and selectors.
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2065\u{e0000}-\u{e0fff}]/gu;

/** Matches nearly all texts. `INVISIBLE` takes about a millisecond to compile, so it is not used until needed. */
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * Makes a text from outside safe to show: characters that move the cursor, reverse the reading direction or are
 * invisible become escapes such as `\x1b` or `\u{202e}`. All other characters stay, backslashes too.
 */
export function escapeForDisplay(text: string, options: EscapeOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replace(INVISIBLE, (char) => (char === "\n" && options.keepNewlines ? char : escapeOf(char)));
}

/** The longest tool name that MCP recommends. Longer ones are sent to flood the screen. */
const MAX_NAME_CHARS = 128;

/** A name from outside, for a list or a message: escaped, and cut with "…" if it is longer than a valid name. */
export function showName(name: string): string {
  return shortenText(escapeForDisplay(cutText(name, MAX_NAME_CHARS + 1)), MAX_NAME_CHARS);
}

function escapeOf(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}

/**
 * Removes escape sequences and control characters from a program's output; tabs and line ends stay. Applying it to its
 * own result changes nothing.
 */
export function plainText(text: string): string {
  return FOR_TERMINALS.test(text) ? text.replace(FOR_TERMINALS_ALL, "") : text;
}

const SEQUENCES = [
  // Colours, cursor movements and the like.
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`,
  // Titles, links, device strings: up to their terminator, or the end of the line if that is missing.
  String.raw`(?:\x1b[\]P^_X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?`,
  // Two-character escapes.
  String.raw`\x1b[ -/]*[0-~]`,
  // All other control characters, so removing one sequence cannot form another.
  String.raw`[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`,
].join("|");

const FOR_TERMINALS = new RegExp(SEQUENCES);
const FOR_TERMINALS_ALL = new RegExp(SEQUENCES, "g");

/** Quotes a word for pasting into a POSIX shell. Single quotes protect everything but themselves. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
