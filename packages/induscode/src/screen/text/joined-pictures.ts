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
