import { createHash } from "node:crypto";

/** Something that a person wants done, and the tools that do it. Any one of them is enough. */
export interface Task {
  readonly task: string;
  /** The search that a model makes of the sentence, with other words, as `tool_search` asks for. */
  readonly query?: string;
  /** As `server/tool`, with the names of `fleet/servers.json` and of the servers themselves. */
  readonly tools: readonly string[];
}

/** The tasks of each language, by its code. */
export interface TaskSet {
  readonly [language: string]: readonly Task[];
}

/** Parses `tasks.json`. Throws with the place of the first mistake. */
export function parseTasks(text: string): TaskSet {
  const file = JSON.parse(text) as { readonly [language: string]: readonly Partial<Task>[] };
  return Object.fromEntries(
    Object.entries(file).map(([language, rows]) => [
      language,
      rows.map((row, index) => parseTask(row, `${language}[${index}]`)),
    ]),
  );
}

function parseTask({ task, query, tools }: Partial<Task>, at: string): Task {
  if (typeof task !== "string" || task === "") throw new Error(`${at}.task: not a text`);
  const isList = Array.isArray(tools) && tools.length > 0;
  if (!isList || !tools.every((tool) => /^[^/]+\/.+$/.test(tool)))
    throw new Error(`${at}.tools: not a list of server/tool`);
  if (query !== undefined && typeof query !== "string") throw new Error(`${at}.query: not a text`);
  return { task, tools, ...(query === undefined ? {} : { query }) };
}

/**
 * Whether a task is kept apart from tuning. The rule depends on the sentence only, so that no one chooses, and a new
 * task never moves an old one.
 */
export function isKeptApart({ task }: Task): boolean {
  return (createHash("sha256").update(task).digest()[0] ?? 0) % 10 === 0;
}
