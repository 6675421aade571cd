import type { ToolText } from "./tool-text.ts";

/** How much a word counts in a field. */
interface FieldRanking {
  readonly weight: number;
  /** The usual number of words. In a longer text each word counts less, */
  readonly usualWords: number;
  /** and this is how much: 0 not at all, 1 in full. */
  readonly lengthMatters: number;
}

/** The fields of a tool. The server's name is ranked apart, because it tells nothing about one of its tools. */
export const FIELD_RANKING: { readonly [Field in Exclude<keyof ToolText, "server">]: FieldRanking } = {
  name: { weight: 3, usualWords: 4, lengthMatters: 1 },
  title: { weight: 0.9, usualWords: 4, lengthMatters: 1 },
  purpose: { weight: 2.3, usualWords: 10, lengthMatters: 0.8 },
  description: { weight: 0.7, usualWords: 30, lengthMatters: 0.45 },
  parameters: { weight: 0.65, usualWords: 10, lengthMatters: 0.4 },
  notes: { weight: 0.36, usualWords: 36, lengthMatters: 0.75 },
};

/** Tuned on the sentences of `npm run context` that are not kept apart. */
export const RANKING = {
  /** The second mention of a word adds less than the first, the third less than the second. */
  saturation: 2,
  /** Added to the rarity of each word, so that frequent words such as "create" still decide between similar tools. */
  leastRarity: 0.6,
  /** For a word that only begins with the wanted one, or the other way round. */
  beginning: 0.45,
  /** For a word with a typing mistake. */
  mistyped: 0.5,
  /** For a synonym that all tools with the word share. */
  synonym: 1.1,
  /** For the tools of a server that the query names: their score is multiplied and raised. */
  namedFactor: 0.5,
  namedBonus: 1.8,
  /** For short names: of two similar tools the simpler one is wanted more often. */
  shortName: 0.7,
};
