export interface EscapeOptions {
  /** Leave line feeds as they are, for texts of several lines. Default false: names and single lines. */
  readonly keepNewlines?: boolean;
}

// C0 without tab, DEL and C1; then what is not seen or turns the text around: soft hyphen, bidi controls, zero-width
// characters, line and paragraph separators, annotation marks, tags; and halves of surrogate pairs.
const UNSEEN =
  /[\0-\x08\n-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu;

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
