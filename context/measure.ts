import type { ToolDescriptor } from "indusagi/llm";
import { createToolIndex, economizedTools, listCost, type ToolIndex } from "indusagi/runtime";
import { isKeptApart, type Task, type TaskSet } from "./tasks.ts";

/** How many of the tasks had one of their tools among the first results. */
export interface Recall {
  readonly tasks: number;
  readonly at1: number;
  readonly at5: number;
  readonly at10: number;
  /** Among all results of an answer; those after the tenth are only named. */
  readonly named: number;
  /** The tasks without one among the first ten. */
  readonly missed: readonly Task[];
}

/** Results that an answer of `tool_search` names. */
const ANSWERED = 40;

export function recallOf(
  index: Pick<ToolIndex, "search">,
  tasks: readonly Task[],
  wording: (task: Task) => string = ({ task }) => task,
): Recall {
  const ranks = tasks.map((task) => {
    const found = index
      .search(wording(task), { limit: ANSWERED })
      .map(({ origin }) => `${origin?.server}/${origin?.tool}`);
    const rank = found.findIndex((name) => task.tools.includes(name));
    return rank === -1 ? Infinity : rank;
  });
  const share = (most: number): number =>
    ranks.filter((rank) => rank < most).length / Math.max(1, tasks.length);
  return {
    tasks: tasks.length,
    at1: share(1),
    at5: share(5),
    at10: share(10),
    named: share(ANSWERED),
    missed: tasks.filter((_, at) => (ranks[at] ?? 0) >= 10),
  };
}

/** What is listed in one mode. */
export interface Listing {
  readonly mode: string;
  readonly of: number;
  readonly listed: number;
  readonly tokens: number;
}

export interface Measured {
  readonly servers: number;
  readonly tools: number;
  readonly listings: readonly Listing[];
  readonly recalls: readonly (readonly [string, Recall])[];
  /** Of all sentences that nothing was tuned on. */
  readonly apart: Recall;
  readonly tuned: Recall;
  readonly queries: Recall;
  readonly shortQueries: Recall;
  /** Of the tools themselves, asked for by server and the words of their names. */
  readonly names: Recall;
  readonly wireNames: Recall;
  /** The median time of a search for a sentence. */
  readonly searchMs: number;
}

const LANGUAGES: { readonly [code: string]: string } = { de: "German", es: "Spanish" };

/** `apart` are the sentences of `kept-apart.json`. */
export async function measureContext(
  tools: readonly ToolDescriptor[],
  { en = [], ...others }: TaskSet,
  apart: readonly Task[],
): Promise<Measured> {
  const index = await createToolIndex(tools);
  const tenth = en.filter(isKeptApart);
  const used = en.filter((task) => !isKeptApart(task));
  const languages = Object.entries(others).map(([code, tasks]) => [LANGUAGES[code] ?? code, tasks] as const);
  const asked = [en, ...Object.values(others)].flat().filter(({ query }) => query !== undefined);
  const all = recallOf(index, [...apart, ...tenth]);
  const tuned = recallOf(index, used);
  const queries = recallOf(index, asked, queryOf);
  const shortQueries = recallOf(index, asked, shortQueryOf);
  const named = tools.flatMap(({ name, origin }) =>
    origin ? [{ task: name, query: spelled(origin), tools: [`${origin.server}/${origin.tool}`] }] : [],
  );
  const names = recallOf(index, named, queryOf);
  const wireNames = recallOf(index, named);
  return {
    servers: new Set(tools.map(({ origin }) => origin?.server)).size,
    tools: tools.length,
    listings: [100, 300, 1_000, tools.length].flatMap((count) => listingsOf(tools.slice(0, count))),
    recalls: [
      ["English, kept apart", all],
      ["— of them written by someone else", recallOf(index, apart)],
      ["— of them a tenth of `tasks.json`", recallOf(index, tenth)],
      ["English, used for tuning", tuned],
      ...languages.map(([name, tasks]) => [name, recallOf(index, tasks)] as const),
      ["a model's queries", queries],
      ["— of them for the tenth kept apart", recallOf(index, tenth, queryOf)],
      ["— cut to three words without the service", shortQueries],
      ["a server and the words of a tool's name", names],
      ["the name of a tool in a list", wireNames],
    ],
    apart: all,
    tuned,
    queries,
    shortQueries,
    names,
    wireNames,
    searchMs: medianMs(index, [...apart, ...en]),
  };
}

/** The third time each, when the code is compiled. */
function medianMs(index: ToolIndex, tasks: readonly Task[]): number {
  const times: number[] = [];
  for (let round = 0; round < 3; round++)
    for (const [at, { task }] of tasks.entries()) {
      const start = performance.now();
      index.search(task, { limit: ANSWERED });
      times[at] = performance.now() - start;
    }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

function queryOf({ task, query = task }: Task): string {
  return query;
}

/** The first three words of the query that are not in the name of a server with one of the tools. */
export function shortQueryOf({ tools, ...task }: Task): string {
  const service = new Set(tools.flatMap((tool) => wordsIn(tool.split("/")[0] ?? "")));
  return queryOf({ tools, ...task })
    .split(/\s+/)
    .filter((word) => !service.has(word.toLowerCase()))
    .slice(0, 3)
    .join(" ");
}

/** `github listPHPExtensions` as a person writes it: `github list php extensions`. */
function spelled({ server, tool }: { readonly server: string; readonly tool: string }): string {
  return [...wordsIn(server), ...wordsIn(tool)].join(" ");
}

function wordsIn(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== "");
}

function listingsOf(tools: readonly ToolDescriptor[]): readonly Listing[] {
  const row = (mode: string, listed: readonly ToolDescriptor[]): Listing => ({
    mode,
    of: tools.length,
    listed: listed.length,
    tokens: listCost(listed),
  });
  return [
    row("all", tools),
    row("search", economizedTools(tools)),
    row("code", economizedTools(tools, { mode: "code" })),
  ];
}
