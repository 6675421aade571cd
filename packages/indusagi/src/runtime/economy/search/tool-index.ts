import type SearchableMap from "minisearch/SearchableMap";
import { cutText } from "../../../core/index.ts";
import { isRecord } from "../../../core/internal.ts";
import type { ToolDescriptor } from "../../../llm/index.ts";
import { firstSentence } from "./first-sentence.ts";
import { type Lexicon, loadLexicon } from "./phrases.ts";
import { type Concept, type KnownWords, type ReadQuery, readQuery } from "./query.ts";
import { nameKey, stemsOf, wordsOf } from "./words.ts";

export interface ToolSearchOptions {
  /** Only tools of this server. */
  readonly server?: string;
  /** Default 10. */
  readonly limit?: number;
}

/** Finds tools by what they do. */
export interface ToolIndex {
  /** Replaces the indexed tools. Only differences from the last list are indexed again. */
  update(tools: readonly ToolDescriptor[]): void;
  /** The best matches, the best first. A query without words returns the tools in list order. */
  search(query: string, options?: ToolSearchOptions): readonly ToolDescriptor[];
}

const DEFAULT_LIMIT = 10;

/** An index of these tools. The first call loads the search library and the lexicon. */
export async function createToolIndex(tools: readonly ToolDescriptor[] = []): Promise<ToolIndex> {
  const { default: SearchableMap } = await import("minisearch/SearchableMap");
  const index = new LiveIndex(new WordTable(new SearchableMap()), await loadLexicon());
  index.update(tools);
  return index;
}

/** One tool of the index. */
interface Entry {
  readonly tool: ToolDescriptor;
  /** Empty if it belongs to none. */
  readonly server: string;
  readonly names: readonly string[];
  readonly words: readonly string[];
  readonly nameLength: number;
  /** Whether its name says that it changes something. */
  readonly isChange: boolean;
}

class LiveIndex implements ToolIndex, KnownWords {
  readonly #table: WordTable;
  readonly #lexicon: Lexicon;
  readonly #synonyms = new Synonyms();
  readonly #ids = new Map<ToolDescriptor, number>();
  readonly #entries = new Map<number, Entry>();
  readonly #names = new Names();
  #servers = new NamedServers([]);
  #listed: readonly ToolDescriptor[] = [];
  #lastId = 0;

  constructor(table: WordTable, lexicon: Lexicon) {
    this.#table = table;
    this.#lexicon = lexicon;
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
    const read = readQuery(query, this, this.#lexicon);
    const named = this.#names.meantBy(query);
    if (read.concepts.length === 0 && named.size === 0) return this.#listed.filter(isWanted).slice(0, limit);
    const scores = this.#scores(read, ASKS.test(query));
    const found: { tool: ToolDescriptor; score: number; match: number }[] = [];
    for (const id of new Set([...named.keys(), ...scores.keys()])) {
      const tool = this.#entries.get(id)?.tool;
      if (tool && isWanted(tool)) found.push({ tool, score: scores.get(id) ?? 0, match: named.get(id) ?? 0 });
    }
    return found
      .sort((a, b) => b.match - a.match || b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
      .slice(0, limit)
      .map(({ tool }) => tool);
  }

  has(stem: string): boolean {
    return this.#table.get(stem) !== undefined || this.#servers.knows(stem);
  }

  namesServer(stem: string): boolean {
    return this.#servers.knows(stem);
  }

  #scores({ concepts, words }: ReadQuery, isQuestion: boolean): Map<number, number> {
    const scores = new Map<number, number>();
    const topics = new Map<string, number>();
    for (const concept of concepts) {
      const best = new Map<string, number>();
      for (const [id, score] of this.#scoresOf(concept)) {
        scores.set(id, (scores.get(id) ?? 0) + score);
        const server = this.#entries.get(id)?.server ?? "";
        if (score > (best.get(server) ?? 0)) best.set(server, score);
      }
      for (const [server, score] of best) topics.set(server, (topics.get(server) ?? 0) + score);
    }
    for (const [id, score] of scores) {
      const server = this.#entries.get(id)?.server ?? "";
      const share = RANKING.topic / (1 + RANKING.topicOfMany * Math.log(this.#servers.size(server)));
      scores.set(id, score + share * (topics.get(server) ?? 0));
    }
    const named = this.#servers.namedIn(words, (word, server) => this.#countOutside(server, word));
    for (const [id, { tool, nameLength, isChange }] of this.#entries) {
      const match = tool.origin ? (named.get(tool.origin.server) ?? 0) : 0;
      const score = scores.get(id) ?? 0;
      if (match === 0 && score === 0) continue;
      const raised = score * (1 + RANKING.namedFactor * match) + RANKING.namedBonus * match;
      const total = raised + RANKING.shortName / nameLength;
      scores.set(id, isQuestion && isChange ? total * RANKING.changeForQuestion : total);
    }
    return scores;
  }

  /** The score that one concept gives each tool: the best of its word, of forms of it, and of what it means. */
  #scoresOf({ word, isData, meaning }: Concept): Map<number, number> {
    const best = new Map<number, number>();
    /** `more`: how much of the lesser score counts, if a tool has one already. */
    const raise = (found: Occurrences | undefined, weight: number, more = 0): void => {
      if (!found) return;
      const worth = weight * (this.#rarity(found) + RANKING.leastRarity);
      for (const [id, count] of found) {
        const score = (worth * count) / (count + RANKING.saturation);
        const before = best.get(id) ?? 0;
        best.set(id, Math.max(score, before) + more * Math.min(score, before));
      }
    };
    if (word !== undefined) {
      const own = isData ? RANKING.data : 1;
      const exact = this.#table.get(word);
      raise(exact, own);
      for (const [found, share] of this.#table.withBeginning(word))
        raise(found, own * RANKING.beginning * share);
      if (best.size === 0 && meaning.length === 0)
        for (const [found, share] of this.#table.mistyped(word)) raise(found, own * RANKING.mistyped * share);
      for (const synonym of this.#synonyms.of(word, exact))
        raise(this.#table.get(synonym.word), own * RANKING.synonym * synonym.share);
    }
    const inNames = word === undefined ? 0 : this.#synonyms.namesWith(word);
    let weight = RANKING.meaning * (1 - (RANKING.ownWord * inNames) / (inNames + RANKING.ownWordNames));
    for (const meant of meaning) {
      raise(this.#table.get(meant), weight, RANKING.otherMeaning);
      weight *= RANKING.lessUsual;
    }
    return best;
  }

  /** How many tools of other servers have this word. */
  #countOutside(server: string, word: string): number {
    let count = 0;
    for (const id of this.#table.get(word)?.keys() ?? [])
      if (this.#entries.get(id)?.tool.origin?.server !== server) count++;
    return count;
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
    const names = this.#names.add(tool, id);
    this.#entries.set(id, {
      tool,
      server: text.server,
      names,
      words: all,
      nameLength: Math.max(1, nameWords.length),
      isChange: nameWords.some((word) => CHANGES.has(word)),
    });
  }

  #remove(tool: ToolDescriptor, id: number): void {
    for (const word of this.#entries.get(id)?.words ?? []) this.#table.remove(word, id);
    this.#synonyms.remove(id);
    this.#names.remove(this.#entries.get(id)?.names ?? [], id);
    this.#ids.delete(tool);
    this.#entries.delete(id);
  }
}

/** Tools by their names. */
class Names {
  readonly #ids = new Map<string, Set<number>>();

  /** Returns the keys to remove later. */
  add({ name, origin }: ToolDescriptor, id: number): readonly string[] {
    const tool = origin?.tool ?? name;
    const keys = [wireKey(name), nameKey(tool), ...(origin ? [nameKey(`${origin.server} ${tool}`)] : [])];
    for (const key of keys) {
      const known = this.#ids.get(key);
      if (known) known.add(id);
      else this.#ids.set(key, new Set([id]));
    }
    return keys;
  }

  remove(keys: readonly string[], id: number): void {
    for (const key of keys) {
      const known = this.#ids.get(key);
      known?.delete(id);
      if (known?.size === 0) this.#ids.delete(key);
    }
  }

  /** The tools that a query names, with how exactly: 2 by the very name, 1 by all its words and no others. */
  meantBy(query: string): ReadonlyMap<number, number> {
    const meant = new Map<number, number>();
    const words = nameKey(query);
    if (words !== "") for (const id of this.#ids.get(words) ?? []) meant.set(id, 1);
    // A word with `_` or `-` can be a name, `read` only if it is the whole query.
    const names = (query.match(/[\w-]+/g) ?? []).filter((written) => /[_-]/.test(written));
    for (const name of [query.trim(), ...names])
      for (const id of this.#ids.get(wireKey(name)) ?? []) meant.set(id, 2);
    return meant;
  }
}

/** Differs from every key of words. */
function wireKey(name: string): string {
  return `=${name.toLowerCase()}`;
}

/** A query that asks for something, so a tool that changes something is seldom meant. */
const ASKS =
  /^\s*(?:what|which|who|whose|where|when|why|how|is|are|was|were|do|does|did|has|have|show|list|find|search|read|look|tell me|give me)\b|\?\s*$/i;

/** Words in the names of tools that change something. */
const CHANGES: ReadonlySet<string> = new Set(
  stemsOf(
    "create add update delete remove set put post write edit patch archive unarchive send push insert drop move rename clear cancel",
  ),
);

/** How much a word counts in a field. */
interface FieldRanking {
  readonly weight: number;
  /** The usual number of words. In a longer text each word counts less; */
  readonly usualWords: number;
  /** this says how much: 0 not at all, 1 in full. */
  readonly lengthMatters: number;
}

/** The fields of a tool. The server's name is ranked separately, because it says nothing about a single tool. */
const FIELD_RANKING: { readonly [Field in Exclude<keyof ToolText, "server">]: FieldRanking } = {
  name: { weight: 3, usualWords: 4, lengthMatters: 1 },
  title: { weight: 0.9, usualWords: 4, lengthMatters: 1 },
  purpose: { weight: 2.3, usualWords: 10, lengthMatters: 0.8 },
  description: { weight: 0.7, usualWords: 30, lengthMatters: 0.45 },
  parameters: { weight: 0.65, usualWords: 10, lengthMatters: 0.4 },
  notes: { weight: 0.36, usualWords: 36, lengthMatters: 0.75 },
};

/** Tuned on the sentences of `npm run context` that are not held out. */
const RANKING = {
  /** The second mention of a word adds less than the first, the third less than the second. */
  saturation: 3,
  /** Added to the rarity of each word, so frequent words such as "create" still decide between similar tools. */
  leastRarity: 0.7,
  /** For a word that only has the wanted one as a prefix, or the other way round. */
  beginning: 0.45,
  /** For a word with a typo. */
  mistyped: 0.5,
  /** For a synonym that all tools with the word share. */
  synonym: 1,
  /** For a part of a file's name or of an address. */
  data: 0.3,
  /** For the most usual meaning of a phrase; */
  meaning: 0.75,
  /** each further one counts this much of the one before, */
  lessUsual: 0.95,
  /** and of a tool that has several, this much of the lesser ones is added. */
  otherMeaning: 0.27,
  /** A word that names of tools use is meant itself: at most this much is taken from its meanings, */
  ownWord: 0.45,
  /** half of it if so many names use it. */
  ownWordNames: 3,
  /** For tools of a server that the query names: their score is multiplied and raised. */
  namedFactor: 0.5,
  namedBonus: 1.5,
  /** For what all tools of the server together know of the query: one word is in a tool's text, another in that of its neighbor. */
  topic: 0.64,
  /** Many tools have many words, whatever they are about. */
  topicOfMany: 0.7,
  /** For short names: of two similar tools the simpler one is wanted more often. */
  shortName: 0.7,
  /** For a tool that changes something, if the query is a question. */
  changeForQuestion: 0.8,
};

const FIELDS = Object.keys(FIELD_RANKING) as readonly (keyof typeof FIELD_RANKING)[];

/** For a later word of a server's name, which is often generic: `tools` in `browser-tools`. */
const LATER_NAME_WORD = 0.7;
/** For a word that begins a server's name: `mongo` for `mongodb`. */
const NAME_BEGINNING = 0.8;
/** A word that so many tools of other servers use, such as `browser`, names a server half as much. */
const GENERIC_NAME = 25;
const MIN_BEGINNING_LETTERS = 4;
const MIN_BEGINNING_SHARE = 0.6;

/** The words in the names of the servers. */
class NamedServers {
  readonly #words: ReadonlyMap<string, readonly string[]>;
  readonly #sizes = new Map<string, number>();

  constructor(tools: readonly ToolDescriptor[]) {
    for (const { origin: { server } = { server: "" } } of tools)
      this.#sizes.set(server, (this.#sizes.get(server) ?? 0) + 1);
    const servers = [...this.#sizes.keys()].filter(Boolean);
    this.#words = new Map(servers.map((server) => [server, wordsOf(server)]));
  }

  /** The number of its tools. */
  size(server: string): number {
    return this.#sizes.get(server) ?? 1;
  }

  /** Whether a server has this word in its name. */
  knows(word: string): boolean {
    return [...this.#words.values()].some((words) => words.includes(word));
  }

  /** The servers that these words name, with a weight: 1 for its whole first word, if no other server's tools use it. */
  namedIn(
    words: readonly string[],
    usedByOthers: (word: string, server: string) => number,
  ): ReadonlyMap<string, number> {
    const named = new Map<string, number>();
    for (const [server, names] of this.#words)
      for (const word of words) {
        const match = Math.max(0, ...names.map((name, at) => serverNameMatch(word, name, at)));
        if (match === 0) continue;
        const weight = match * (GENERIC_NAME / (GENERIC_NAME + usedByOthers(word, server)));
        named.set(server, Math.max(weight, named.get(server) ?? 0));
      }
    return named;
  }
}

function serverNameMatch(word: string, name: string, position: number): number {
  const begins =
    word.length >= MIN_BEGINNING_LETTERS &&
    name.startsWith(word) &&
    word.length > MIN_BEGINNING_SHARE * name.length;
  const match = word === name ? 1 : begins ? NAME_BEGINNING : 0;
  return position === 0 ? match : match * LATER_NAME_WORD;
}

/** A word that names use where descriptions use another. */
interface Synonym {
  readonly word: string;
  /** The share of tools with the other word that have this one in their names, 0 to 1. */
  readonly share: number;
}

/** How many times more frequent a synonym must be in these names than in others. */
const MIN_LIFT = 3;
/** Added to the number of tools, so a word in the text of one tool proves little. */
const DOUBT = 2;
const MAX_SYNONYMS = 6;

/**
 * Synonyms learned from the catalogue itself: tools whose texts say "remove" are mostly named "delete". Counted only when a
 * word is looked up, so adding and removing a tool stays cheap.
 */
class Synonyms {
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

  /** How many names of tools have this word. */
  namesWith(word: string): number {
    return this.#counts.get(word) ?? 0;
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

/** The texts a tool is found by, one for each field of the index. */
interface ToolText {
  readonly name: string;
  readonly title: string;
  /** The first sentence of the description. */
  readonly purpose: string;
  readonly description: string;
  /** The names of the parameters. */
  readonly parameters: string;
  /** What the parameters say about themselves. */
  readonly notes: string;
  readonly server: string;
}

/** Long texts are repetitive, and each word costs time. */
const MAX_DESCRIPTION = 800;
const MAX_NOTES = 600;
/** Nested objects are rarely what a tool is about. */
const MAX_DEPTH = 2;

function toolText(tool: ToolDescriptor): ToolText {
  const purpose = firstSentence(cutText(tool.description, MAX_DESCRIPTION));
  const found: SchemaTexts = { names: [], notes: [] };
  collect(tool.parameters, found, 0);
  return {
    // In calls, a server's tool has its server as a prefix, which is a separate field here.
    name: tool.origin?.tool ?? tool.name,
    title: tool.title ?? tool.annotations?.title ?? "",
    purpose,
    description: cutText(tool.description.trim(), MAX_DESCRIPTION).slice(purpose.length),
    parameters: found.names.join(" "),
    notes: cutText(found.notes.join(" "), MAX_NOTES),
    server: tool.origin?.server ?? "",
  };
}

interface SchemaTexts {
  readonly names: string[];
  readonly notes: string[];
}

function collect(schema: unknown, found: SchemaTexts, depth: number): void {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  const { properties, items, enum: values } = schema;
  if (typeof schema["description"] === "string" && depth > 0) found.notes.push(schema["description"]);
  if (Array.isArray(values)) found.notes.push(values.filter((value) => typeof value === "string").join(" "));
  if (isRecord(properties))
    for (const [name, member] of Object.entries(properties)) {
      found.names.push(name);
      collect(member, found, depth + 1);
    }
  collect(items, found, depth);
}

/** The tools that contain a word, by number, with the word's weight for each. */
type Occurrences = ReadonlyMap<number, number>;

const MIN_LETTERS = 4;
/** `audits` finds `audit`, but `auditorium` does not. */
const MAX_MORE_LETTERS = 3;
/** The share of letters that may differ. */
const MAX_MISTAKES = 0.2;
const MIN_MISTYPED = 5;

/** All words of an index. The library's tree finds prefixes and typos. */
class WordTable {
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
