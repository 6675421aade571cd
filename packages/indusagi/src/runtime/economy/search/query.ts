import { type Lexicon, phrasesIn } from "./phrases.ts";
import { isEmptyWord, stemOf, withoutContractions, writtenWords } from "./words.ts";

/** A part of a query: a word, a phrase of the lexicon, or both. */
export interface Concept {
  /** The stem of the word. */
  readonly word?: string | undefined;
  /** A part of a file's name or of an address: seldom what a tool is about. */
  readonly isData: boolean;
  /** Words that tools use for it, the most usual first. */
  readonly meaning: readonly string[];
}

/** What the searched tools know of a word. */
export interface KnownWords {
  /** Whether a tool or the name of a server has it. */
  has(stem: string): boolean;
  namesServer(stem: string): boolean;
}

export interface ReadQuery {
  /** Each once. The words of a longer phrase count only together. */
  readonly concepts: readonly Concept[];
  /** The stems of all words that say something, also of those in phrases. */
  readonly words: readonly string[];
}

/** What a query asks for. */
export function readQuery(query: string, known: KnownWords, lexicon: Lexicon): ReadQuery {
  const { words, meanings } = wordsIn(query, known, lexicon);
  const phrases = phrasesIn(
    words.map(({ stem, isData }) => (isData ? "" : stem)),
    lexicon,
  );
  const phraseAt = new Map(phrases.flatMap((phrase) => phrase.at.map((at) => [at, phrase] as const)));
  const concepts = new Map<string, Concept>();
  for (const [at, { stem, isEmpty, isData }] of words.entries()) {
    const { at: [first, ...others] = [at], meaning = [] } = phraseAt.get(at) ?? {};
    const isAlone = others.length === 0;
    const word = isAlone && !isEmpty ? stem : undefined;
    if (first !== at || (word === undefined && meaning.length === 0)) continue;
    const key = isAlone ? stem : meaning.join(" ");
    if (concepts.get(key)?.isData !== false) concepts.set(key, { word, isData, meaning });
  }
  return {
    concepts: [...concepts.values(), ...meanings.map((meaning) => ({ isData: false, meaning }))],
    words: words.flatMap(({ stem, isEmpty, isData }) => (isEmpty || isData ? [] : [stem])),
  };
}

interface QueryWord {
  readonly stem: string;
  /** A stop word: alone it says nothing about a tool. */
  readonly isEmpty: boolean;
  readonly isData: boolean;
}

/** The words of a query in order, and what the shapes of some mean. `GitHub` is one word if it is known, else two; `createIssue` is both. */
function wordsIn(
  query: string,
  known: KnownWords,
  lexicon: Lexicon,
): { readonly words: readonly QueryWord[]; readonly meanings: readonly (readonly string[])[] } {
  const words: QueryWord[] = [];
  const meanings: (readonly string[])[] = [];
  for (const piece of withoutContractions(query).match(/\S+/g) ?? []) {
    const meaning = meaningOfShape(piece, lexicon);
    if (meaning) meanings.push(meaning);
    for (const { whole, parts, isIdentifier } of writtenWords(piece)) {
      const isKnown = whole !== undefined && known.has(stemOf(whole));
      for (const text of isKnown ? [whole, ...(isIdentifier ? parts : [])] : parts) {
        const stem = stemOf(text);
        const isData = meaning !== undefined && !known.namesServer(stem);
        words.push({ stem, isEmpty: isEmptyWord(text), isData });
      }
    }
  }
  return { words, meanings };
}

const SHAPES: readonly (readonly [shape: string, form: RegExp])[] = [
  ["<url>", /^(?:https?:\/\/|www\.)/i],
  ["<email>", /^[\w.+-]+@[\w-]+\.\w/],
  ["<channel>", /^#\p{L}/u],
  ["<mention>", /^@\p{L}/u],
  ["<ticket>", /^[A-Z][A-Z0-9]+-\d+$/],
  ["<money>", /^[$\u20ac\u00a3]\d|^\d[\d.,]*[$\u20ac\u00a3]$/],
  ["<time>", /^\d{1,2}(?::\d\d)?(?:am|pm)$|^\d{1,2}:\d\d$/i],
  ["<phone>", /^\+\d[\d-]{6,}$/],
];
const PUNCTUATION = /^[("'[\u201c\u00ab]+|[)\]"'\u201d\u00bb.,;:!?]+$/g;
const FILE_ENDING = /[\w-](\.[a-z]\w{0,7})$/i;

/** What the shape of a word means, such as that `notes.txt` is a file. */
function meaningOfShape(piece: string, { whole }: Lexicon): readonly string[] | undefined {
  // Most words are plain.
  if (/^\p{L}+$/u.test(piece)) return undefined;
  const written = piece.replaceAll(PUNCTUATION, "");
  const shape = SHAPES.find(([, form]) => form.test(written))?.[0] ?? FILE_ENDING.exec(written)?.[1];
  return shape === undefined ? undefined : whole.get(shape.toLowerCase());
}
