/** Matches nearly all text: one column per character. */
const PLAIN = /^[\x20-\x7e]*$/;
/** Colour codes. */
const CODES = /\u001b\[[\d;]*m/g;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
/** Two of these make one flag. */
const FLAG_LETTER = /^[\u{1f1e6}-\u{1f1ff}]$/u;
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u;

/** The columns that one line takes on a terminal. Colour codes take none. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const char of stripColours(text)) width += charWidth(char);
  return width;
}

export function stripColours(text: string): string {
  return text.replaceAll(CODES, "");
}

/** The columns of one code point: 2 for wide characters, 0 for combining marks. */
export function charWidth(char: string): number {
  if (PLAIN.test(char)) return 1;
  if (NO_WIDTH.test(char)) return 0;
  return WIDE.test(char) && !FLAG_LETTER.test(char) ? 2 : 1;
}

/** Cuts a text without colours to a number of columns, with "…" at the end. */
export function fitWidth(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let width = 0;
  let fits = "";
  for (const char of text) {
    width += charWidth(char);
    if (width > columns - 1) break;
    fits += char;
  }
  return `${fits}…`;
}

/** Breaks a text without colours after a number of columns, also within words. */
export function splitWidth(text: string, columns: number): readonly string[] {
  if (displayWidth(text) <= columns) return [text];
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const char of text) {
    const needed = charWidth(char);
    if (width + needed > columns && piece !== "") {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += char;
    width += needed;
  }
  return [...pieces, piece];
}

/** The zero-width joiner between emoji that form one, such as a person and a computer. */
const JOINER =
  /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/gu;

/** The positions of joiners between emoji. Nothing is shown there: terminals disagree on the width of joined emoji. */
export function joinerPositions(text: string): ReadonlySet<number> {
  return text.includes("\u200d") ? new Set([...text.matchAll(JOINER)].map(({ index }) => index)) : new Set();
}

/** Separates joined emoji. Elsewhere the joiner stays, to be escaped. */
export function withoutJoiners(text: string): string {
  return text.includes("\u200d") ? text.replaceAll(JOINER, "") : text;
}
