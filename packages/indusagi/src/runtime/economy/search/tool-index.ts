import type { ToolDescriptor } from "../../../llm/index.ts";
import { NamedServers } from "./named-servers.ts";
import { FIELD_RANKING, RANKING } from "./ranking.ts";
import { Synonyms } from "./synonyms.ts";
import { toolText } from "./tool-text.ts";
import { type Occurrences, WordTable } from "./word-table.ts";
import { queryWords, wordsOf } from "./words.ts";

export interface ToolSearchOptions {
  /** Only tools of this server. */
  readonly server?: string;
  /** Default 10. */
  readonly limit?: number;
}

/** Finds tools by what they do. */
export interface ToolIndex {
  /** Makes these the tools to find. Only what differs from the last list is indexed again. */
  update(tools: readonly ToolDescriptor[]): void;
  /** The tools that match best, the best first. A query without words finds the tools in the order of the list. */
  search(query: string, options?: ToolSearchOptions): readonly ToolDescriptor[];
}

const DEFAULT_LIMIT = 10;

/** An index of these tools. The search library is loaded by the first call. */
export async function createToolIndex(tools: readonly ToolDescriptor[] = []): Promise<ToolIndex> {
  const { default: SearchableMap } = await import("minisearch/SearchableMap");
  const index = new LiveIndex(new WordTable(new SearchableMap()));
  index.update(tools);
  return index;
}

/** One tool of the index. */
interface Entry {
  readonly tool: ToolDescriptor;
  readonly words: readonly string[];
  readonly nameLength: number;
}

class LiveIndex implements ToolIndex {
  readonly #table: WordTable;
  readonly #synonyms = new Synonyms();
  readonly #ids = new Map<ToolDescriptor, number>();
  readonly #entries = new Map<number, Entry>();
  #servers = new NamedServers([]);
  #listed: readonly ToolDescriptor[] = [];
  #lastId = 0;

  constructor(table: WordTable) {
    this.#table = table;
  }

  update(tools: readonly ToolDescriptor[]): void {
    if (tools === this.#listed) return;
    this.#listed = tools;
    const wanted = new Set(tools);
    for (const [tool, id] of this.#ids) if (!wanted.has(tool)) this.#remove(tool, id);
    for (const tool of wanted) if (!this.#ids.has(tool)) this.#add(tool);
    this.#servers = new NamedServers(tools);
  }

  search(
    query: string,
    { server, limit = DEFAULT_LIMIT }: ToolSearchOptions = {},
  ): readonly ToolDescriptor[] {
    const isWanted = (tool: ToolDescriptor): boolean =>
      server === undefined || tool.origin?.server === server;
    const words = queryWords(
      query,
      (word) => this.#table.get(word) !== undefined || this.#servers.knows(word),
    );
    if (words.length === 0) return this.#listed.filter(isWanted).slice(0, limit);
    const found: { tool: ToolDescriptor; score: number; id: number }[] = [];
    for (const [id, score] of this.#scores(words)) {
      const entry = this.#entries.get(id);
      if (entry && isWanted(entry.tool)) found.push({ tool: entry.tool, score, id });
    }
    return found
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  #scores(words: readonly string[]): Map<number, number> {
    const scores = new Map<number, number>();
    for (const word of words)
      for (const [id, score] of this.#scoresOf(word)) scores.set(id, (scores.get(id) ?? 0) + score);
    const named = this.#servers.namedIn(words);
    for (const [id, { tool, nameLength }] of this.#entries) {
      const match = tool.origin ? (named.get(tool.origin.server) ?? 0) : 0;
      const score = scores.get(id) ?? 0;
      if (match === 0 && score === 0) continue;
      const raised = score * (1 + RANKING.namedFactor * match) + RANKING.namedBonus * match;
      scores.set(id, raised + RANKING.shortName / nameLength);
    }
    return scores;
  }

  /** The score that one word of a query gives each tool: that of the best of its forms and synonyms. */
  #scoresOf(word: string): Map<number, number> {
    const best = new Map<number, number>();
    const raise = (found: Occurrences | undefined, weight: number): void => {
      if (!found) return;
      const worth = weight * (this.#rarity(found) + RANKING.leastRarity);
      for (const [id, count] of found) {
        const score = (worth * count) / (count + RANKING.saturation);
        if (score > (best.get(id) ?? 0)) best.set(id, score);
      }
    };
    const exact = this.#table.get(word);
    raise(exact, 1);
    for (const [found, share] of this.#table.withBeginning(word)) raise(found, RANKING.beginning * share);
    if (best.size === 0)
      for (const [found, share] of this.#table.mistyped(word)) raise(found, RANKING.mistyped * share);
    for (const synonym of this.#synonyms.of(word, exact))
      raise(this.#table.get(synonym.word), RANKING.synonym * synonym.share);
    return best;
  }

  /** As in BM25. */
  #rarity({ size }: Occurrences): number {
    return Math.log(1 + (this.#entries.size - size + 0.5) / (size + 0.5));
  }

  #add(tool: ToolDescriptor): void {
    const id = ++this.#lastId;
    const text = toolText(tool);
    const all: string[] = [];
    for (const field of FIELDS) {
      const words = wordsOf(text[field]);
      const { weight, usualWords, lengthMatters } = FIELD_RANKING[field];
      const each = weight / (1 - lengthMatters + (lengthMatters * words.length) / usualWords);
      for (const word of words) if (this.#table.add(word, id, each)) all.push(word);
    }
    const nameWords = wordsOf(text.name);
    this.#synonyms.add(id, new Set(nameWords));
    this.#ids.set(tool, id);
    this.#entries.set(id, { tool, words: all, nameLength: Math.max(1, nameWords.length) });
  }

  #remove(tool: ToolDescriptor, id: number): void {
    for (const word of this.#entries.get(id)?.words ?? []) this.#table.remove(word, id);
    this.#synonyms.remove(id);
    this.#ids.delete(tool);
    this.#entries.delete(id);
  }
}

const FIELDS = Object.keys(FIELD_RANKING) as readonly (keyof typeof FIELD_RANKING)[];
