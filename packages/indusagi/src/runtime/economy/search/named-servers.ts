import type { ToolDescriptor } from "../../../llm/index.ts";
import { wordsOf } from "./words.ts";

/** For a later word of a server's name, which is often a common one: `tools` of `browser-tools`. */
const LATER_WORD = 0.7;
/** For a word that begins a server's name: `mongo` for `mongodb`. */
const BEGINNING = 0.8;
const MIN_LETTERS = 4;
const MIN_SHARE = 0.6;

/** The words in the names of the servers. */
export class NamedServers {
  readonly #words: ReadonlyMap<string, readonly string[]>;

  constructor(tools: readonly ToolDescriptor[]) {
    const servers = new Set(tools.flatMap(({ origin }) => origin?.server ?? []));
    this.#words = new Map([...servers].map((server) => [server, wordsOf(server)]));
  }

  /** Whether a server has this word in its name. */
  knows(word: string): boolean {
    return [...this.#words.values()].some((words) => words.includes(word));
  }

  /** The servers that these words name, each with how clearly: 1 by its whole first word. */
  namedIn(words: readonly string[]): ReadonlyMap<string, number> {
    const named = new Map<string, number>();
    for (const [server, names] of this.#words) {
      const match = Math.max(0, ...names.flatMap((name, at) => words.map((word) => matchOf(word, name, at))));
      if (match > 0) named.set(server, match);
    }
    return named;
  }
}

function matchOf(word: string, name: string, position: number): number {
  const begins = word.length >= MIN_LETTERS && name.startsWith(word) && word.length > MIN_SHARE * name.length;
  const match = word === name ? 1 : begins ? BEGINNING : 0;
  return position === 0 ? match : match * LATER_WORD;
}
