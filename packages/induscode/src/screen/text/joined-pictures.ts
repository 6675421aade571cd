/** The invisible character between two pictures that are meant as one, such as a person and a computer. */
const JOINER =
  /(?<=\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d(?=\p{Extended_Pictographic})/gu;

/** Where a text joins pictures. Nothing is to be shown there: terminals differ in the width of joined pictures. */
export function joinerPositions(text: string): ReadonlySet<number> {
  return text.includes("\u200d") ? new Set([...text.matchAll(JOINER)].map(({ index }) => index)) : new Set();
}

/** The text with its pictures beside each other. Elsewhere the character stays, to be escaped. */
export function withoutJoiners(text: string): string {
  return text.includes("\u200d") ? text.replaceAll(JOINER, "") : text;
}
