import type { Occurrences } from "./word-table.ts";

/** A word that names have where texts have another. */
export interface Synonym {
  readonly word: string;
  /** How many of the tools with the other word have this one in their names; between 0 and 1. */
  readonly share: number;
}

/** How many times more often a synonym must be in these names than in others. */
const MIN_LIFT = 3;
/** Added to the number of tools, so that a word in the text of one tool proves little. */
const DOUBT = 2;
const MAX_SYNONYMS = 6;

/**
 * Synonyms that a catalogue teaches, and nothing else does: tools whose texts say "remove" are mostly named "delete". Nothing is
 * counted before a word is asked for, so that adding and removing a tool costs little.
 */
export class Synonyms {
  readonly #names = new Map<number, ReadonlySet<string>>();
  readonly #counts = new Map<string, number>();
  readonly #learned = new Map<string, readonly Synonym[]>();

  add(id: number, nameWords: ReadonlySet<string>): void {
    this.#names.set(id, nameWords);
    for (const word of nameWords) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    this.#learned.clear();
  }

  remove(id: number): void {
    for (const word of this.#names.get(id) ?? []) this.#counts.set(word, (this.#counts.get(word) ?? 1) - 1);
    this.#names.delete(id);
    this.#learned.clear();
  }

  /** The words in the names of the tools that contain this word, the most frequent first. */
  of(word: string, occurrences: Occurrences | undefined): readonly Synonym[] {
    if (!occurrences) return [];
    const known = this.#learned.get(word);
    if (known) return known;
    const learned = this.#learn(word, occurrences);
    this.#learned.set(word, learned);
    return learned;
  }

  #learn(word: string, occurrences: Occurrences): readonly Synonym[] {
    const counts = new Map<string, number>();
    for (const id of occurrences.keys())
      for (const name of this.#names.get(id) ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
    counts.delete(word);
    const found: Synonym[] = [];
    for (const [name, count] of counts) {
      const share = count / (occurrences.size + DOUBT);
      const usual = (this.#counts.get(name) ?? 0) / this.#names.size;
      if (count > 1 && share >= MIN_LIFT * usual) found.push({ word: name, share });
    }
    return found.sort((a, b) => b.share - a.share || (a.word < b.word ? -1 : 1)).slice(0, MAX_SYNONYMS);
  }
}
