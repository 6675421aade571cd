/** Abbreviations whose dot does not end a sentence. */
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|incl|approx|no)\.$/i;
const LONGEST_ABBREVIATION = 8;

/** Punctuation that ends a sentence if more text follows, or an empty line. */
const END = /[.!?](?=\s)|[。！？]|\n\s*\n/g;

/** The first sentence of a text, in one line. */
export function firstSentence(text: string): string {
  const trimmed = text.trim();
  for (const end of sentenceEnds(trimmed)) return oneLine(trimmed.slice(0, end));
  return oneLine(trimmed);
}

/** Where the sentences of a text end, in order; not the end of the text itself. */
export function* sentenceEnds(text: string): Iterable<number> {
  for (const { index, 0: mark } of text.matchAll(END)) {
    const end = index + mark.trimEnd().length;
    if (mark !== "." || !ABBREVIATION.test(text.slice(Math.max(0, end - LONGEST_ABBREVIATION), end)))
      yield end;
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
