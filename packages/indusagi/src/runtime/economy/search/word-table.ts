import type SearchableMap from "minisearch/SearchableMap";

/** The tools that contain a word, by number, with the word's weight for each. */
export type Occurrences = ReadonlyMap<number, number>;

const MIN_LETTERS = 4;
/** `audits` finds `audit`, but `auditorium` does not. */
const MAX_MORE_LETTERS = 3;
/** The share of letters that may differ. */
const MAX_MISTAKES = 0.2;
const MIN_MISTYPED = 5;

/** All words of an index. The library's tree finds prefixes and typos. */
export class WordTable {
  readonly #words = new Map<string, Map<number, number>>();
  /** The same words as a tree. Slower, so used only for what the map cannot answer. */
  readonly #tree: SearchableMap<Occurrences>;

  constructor(tree: SearchableMap<Occurrences>) {
    this.#tree = tree;
  }

  /** Adds to a word's weight for a tool. True if it is the tool's first mention of the word. */
  add(word: string, id: number, weight: number): boolean {
    const known = this.#words.get(word);
    if (known) {
      const before = known.get(id);
      known.set(id, (before ?? 0) + weight);
      return before === undefined;
    }
    const occurrences = new Map([[id, weight]]);
    this.#words.set(word, occurrences);
    this.#tree.set(word, occurrences);
    return true;
  }

  remove(word: string, id: number): void {
    const known = this.#words.get(word);
    known?.delete(id);
    if (known?.size !== 0) return;
    this.#words.delete(word);
    this.#tree.delete(word);
  }

  get(word: string): Occurrences | undefined {
    return this.#words.get(word);
  }

  /** Words that start with this one, and words this one starts with, with the share of letters in common. */
  *withBeginning(word: string): Iterable<readonly [Occurrences, number]> {
    if (word.length < MIN_LETTERS) return;
    for (const [longer, found] of this.#tree.atPrefix(word))
      if (longer !== word) yield [found, word.length / longer.length];
    for (let end = word.length - 1; end >= Math.max(MIN_LETTERS, word.length - MAX_MORE_LETTERS); end--) {
      const found = this.#words.get(word.slice(0, end));
      if (found) yield [found, end / word.length];
    }
  }

  /** Words that differ by a typo, with 1 divided by the number of typos. */
  *mistyped(word: string): Iterable<readonly [Occurrences, number]> {
    if (word.length < MIN_MISTYPED) return;
    const most = Math.max(1, Math.round(word.length * MAX_MISTAKES));
    for (const [found, mistakes] of this.#tree.fuzzyGet(word, most).values())
      if (mistakes > 0) yield [found, 1 / mistakes];
  }
}
