/** Where a sentence may end: after its mark and before a space, after an East Asian mark, or at a line end. */
const SENTENCE_END = /[.!?…]["')\]”’]*(?=\s|$)|[。！？]|\n/gu;

/** The longest beginning of a text that has at most `maxUnits` characters and ends with a sentence. Empty if there is none. */
export function cutAtSentence(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  let end = 0;
  for (const { index, 0: mark } of text.slice(0, maxUnits + 1).matchAll(SENTENCE_END)) {
    const after = index + mark.length;
    // The end of the part that was looked at is not the end of the text.
    if (after > maxUnits) break;
    end = after;
  }
  return text.slice(0, end).trimEnd();
}
