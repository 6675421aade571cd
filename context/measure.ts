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
  /** The share of the English sentences kept apart that have a word in common with one of their tools. */
  readonly withCommonWord: number;
}

const LANGUAGES: { readonly [code: string]: string } = { de: "German", es: "Spanish" };

/** The recall on each part of the tasks. The first is the one that nothing was tuned on. */
function recallsOf(index: ToolIndex, { en = [], ...others }: TaskSet): Measured["recalls"] {
  const apart = en.filter(isKeptApart);
  const tuned = en.filter((task) => !isKeptApart(task));
  const asQuery = ({ task, query = task }: Task): string => query;
  const languages = Object.entries(others).map(([code, tasks]) => [LANGUAGES[code] ?? code, tasks] as const);
  return [
    ["English, kept apart from tuning", recallOf(index, apart)],
    ["English, used for tuning", recallOf(index, tuned)],
    ...languages.map(([name, tasks]) => [name, recallOf(index, tasks)] as const),
    ["a model's query for those kept apart", recallOf(index, apart, asQuery)],
    ["a model's query for the others", recallOf(index, tuned, asQuery)],
    ...languages.map(
      ([name, tasks]) => [`a model's query for the ${name} ones`, recallOf(index, tasks, asQuery)] as const,
    ),
  ];
}

/** The share of the tasks that have a word in common with one of their tools, with its server's name or with a form of either. */
export async function commonWordShare(
  tools: readonly ToolDescriptor[],
  tasks: readonly Task[],
): Promise<number> {
  const isFound = async (task: Task): Promise<boolean> => {
    const right = tools.filter(({ origin }) => task.tools.includes(`${origin?.server}/${origin?.tool}`));
    return (await createToolIndex(right)).search(task.task).length > 0;
  };
  const found = await Promise.all(tasks.map(isFound));
  return found.filter(Boolean).length / Math.max(1, tasks.length);
}

export async function measureContext(tools: readonly ToolDescriptor[], set: TaskSet): Promise<Measured> {
  const index = await createToolIndex(tools);
  return {
    servers: new Set(tools.map(({ origin }) => origin?.server)).size,
    tools: tools.length,
    listings: [100, 300, 1_000, tools.length].flatMap((count) => listingsOf(tools.slice(0, count))),
    recalls: recallsOf(index, set),
    withCommonWord: await commonWordShare(tools, (set["en"] ?? []).filter(isKeptApart)),
  };
}

function listingsOf(tools: readonly ToolDescriptor[]): readonly Listing[] {
  const row = (mode: string, listed: readonly ToolDescriptor[]): Listing => ({
    mode,
    of: tools.length,
    listed: listed.length,
    tokens: listCost(listed),
  });
  return [row("all", tools), row("search", economizedTools(tools))];
}
