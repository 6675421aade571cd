import { stemsOf } from "./words.ts";

/** Phrases with what they mean, in stems. */
export interface Lexicon {
  /** By the words of a phrase, or by the shape or ending of a word. */
  readonly whole: ReadonlyMap<string, Meaning>;
  /** Phrases with a gap, by the words before it. */
  readonly withGap: ReadonlyMap<string, readonly AfterGap[]>;
  /** The number of words in the longest phrase, or in its part before a gap. */
  readonly longest: number;
}

/** Words that tools use, the most usual first. */
type Meaning = readonly string[];

interface AfterGap {
  readonly tail: readonly string[];
  readonly meaning: Meaning;
}

/** A phrase of the lexicon in a query. */
export interface FoundPhrase {
  /** The positions of its words. */
  readonly at: readonly number[];
  readonly meaning: Meaning;
}

/** The phrases in a query, given as stems. A word belongs to one phrase, the longest. */
export function phrasesIn(
  stems: readonly string[],
  { whole, withGap, longest }: Lexicon,
): readonly FoundPhrase[] {
  const candidates: FoundPhrase[] = [];
  for (let from = 0; from < stems.length; from++) {
    let key = "";
    for (let end = from; end < Math.min(stems.length, from + longest); end++) {
      key = end === from ? (stems[from] ?? "") : `${key} ${stems[end]}`;
      const meaning = whole.get(key);
      const head = positions(from, end + 1);
      if (meaning) candidates.push({ at: head, meaning });
      for (const { tail, meaning: meant } of withGap.get(key) ?? []) {
        const at = placeAfterGap(stems, end + 1, tail);
        if (at !== undefined)
          candidates.push({ at: [...head, ...positions(at, at + tail.length)], meaning: meant });
      }
    }
  }
  const taken = new Set<number>();
  return candidates
    .sort((a, b) => b.at.length - a.at.length)
    .filter(({ at }) => {
      if (at.some((position) => taken.has(position))) return false;
      for (const position of at) taken.add(position);
      return true;
    });
}

const LONGEST_GAP = 4;

function placeAfterGap(stems: readonly string[], gap: number, tail: readonly string[]): number | undefined {
  const last = Math.min(gap + LONGEST_GAP, stems.length - tail.length);
  for (let at = gap + 1; at <= last; at++)
    if (tail.every((stem, offset) => stems[at + offset] === stem)) return at;
  return undefined;
}

function positions(from: number, end: number): number[] {
  return Array.from({ length: end - from }, (_, offset) => from + offset);
}

let lexicon: Promise<Lexicon> | undefined;

/** Our lexicon. Loaded by the first index: most programs never search. */
export function loadLexicon(): Promise<Lexicon> {
  return (lexicon ??= import("./lexicon.ts").then(({ LEXICON }) => parseLexicon(LEXICON)));
}

const ENTRY = /^([^:]+): ([^:]+)$/;
const GAP = " ~ ";
/** `<url>` or `.txt`. */
const SHAPE = /^[<.]/;

/** Throws with the line that is not an entry. */
export function parseLexicon(text: string): Lexicon {
  const whole = new Map<string, Meaning>();
  const withGap = new Map<string, AfterGap[]>();
  let longest = 0;
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, phrases = "", words = ""] = ENTRY.exec(line) ?? [];
    const meaning = stemsOf(words);
    if (meaning.length === 0) throw new Error(`not an entry of the lexicon: ${line}`);
    for (const phrase of phrases.split(", ")) {
      const [head = "", tail] = phrase.split(GAP);
      const stems = stemsOf(head);
      const key = SHAPE.test(head) ? head : stems.join(" ");
      longest = Math.max(longest, stems.length);
      if (tail !== undefined)
        withGap.set(key, [...(withGap.get(key) ?? []), { tail: stemsOf(tail), meaning }]);
      else whole.set(key, [...new Set([...(whole.get(key) ?? []), ...meaning])]);
    }
  }
  return { whole, withGap, longest };
}
