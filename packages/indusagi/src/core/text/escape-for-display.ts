export interface EscapeOptions {
  /** Leave line feeds as they are, for texts of several lines. Default false: names and single lines. */
  readonly keepNewlines?: boolean;
}

// Control characters but the tab; format characters, which are not seen or turn the text around (bidi, zero-width, tags);
// line and paragraph separators; halves of surrogate pairs; and the plane of tags and selectors as a whole.
const UNSEEN = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u2065\u{e0000}-\u{e0fff}]/gu;

/**
 * Makes a text from outside fit to be shown: whatever could move the cursor, reverse the reading direction or hide
 * is written out as `\x1b` or `\u{202e}`. Everything else, backslashes too, stays as it is.
 */
export function escapeForDisplay(text: string, options: EscapeOptions = {}): string {
  return text.replace(UNSEEN, (char) => (char === "\n" && options.keepNewlines ? char : writtenOut(char)));
}

function writtenOut(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  return hex.length <= 2 ? `\\x${hex.padStart(2, "0")}` : `\\u{${hex}}`;
}
