import type { Flag, FlagSpec } from "./flag-spec.ts";
import { SESSION_TOOL_NAMES } from "./tool-names.ts";

/** A row of the main table with what only the parser and the help need. */
interface MainFlag extends FlagSpec, Omit<Flag, keyof FlagSpec> {}

/** How much a model thinks before it answers. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;

/** The 18 flags of `indus` itself, in help order. The sister editions have the same. */
const ROWS: readonly MainFlag[] = [
  {
    name: "--print",
    aliases: ["-p"],
    kind: "boolean",
    group: "Output",
    describe: "Answer the prompt once and exit.",
  },
  {
    name: "--json",
    aliases: ["--rpc"],
    kind: "boolean",
    group: "Output",
    describe: "Print JSON: one event per line with --print, otherwise JSON-RPC on standard input and output.",
  },
  {
    name: "--interactive",
    aliases: ["-i"],
    kind: "boolean",
    group: "Output",
    describe: "Keep the conversation open after the prompt.",
  },
  {
    name: "--model",
    aliases: ["-m"],
    kind: "string",
    group: "Model",
    value: "NAME",
    describe: "The model to use.",
  },
  {
    name: "--fallback-model",
    aliases: [],
    kind: "string",
    group: "Model",
    value: "NAME",
    describe: "The model to use if the first is not available.",
  },
  {
    name: "--account",
    aliases: [],
    kind: "string",
    group: "Model",
    value: "NAME",
    describe: "The account at the model's vendor.",
  },
  {
    name: "--thinking",
    aliases: [],
    kind: "string",
    group: "Model",
    value: "LEVEL",
    choices: THINKING_LEVELS,
    describe: `How much the model thinks: ${THINKING_LEVELS.join(", ")}.`,
  },
  {
    name: "--list-models",
    aliases: [],
    kind: "boolean",
    group: "Model",
    describe: "List the models and exit.",
  },
  {
    name: "--cwd",
    aliases: [],
    kind: "string",
    group: "Context",
    value: "DIR",
    describe: "The folder to work in. Default: the current folder.",
  },
  {
    name: "--system",
    aliases: [],
    kind: "string",
    group: "Context",
    value: "TEXT",
    describe: "Replace the system prompt.",
  },
  {
    name: "--append-system",
    aliases: [],
    kind: "string",
    group: "Context",
    value: "TEXT",
    describe: "Add to the system prompt.",
  },
  {
    name: "--resume",
    aliases: ["-r"],
    kind: "string",
    group: "Context",
    value: "SESSION",
    describe: "Continue this session.",
  },
  {
    name: "--continue",
    aliases: ["-c"],
    kind: "boolean",
    group: "Context",
    describe: "Continue the last session of this folder.",
  },
  {
    name: "--tools",
    aliases: [],
    kind: "list",
    group: "Tools",
    value: "NAMES",
    accepts: SESSION_TOOL_NAMES,
    describe:
      "Offer only these native tools. Names with __ select tools of servers, and may contain *. The word code lets the model write programs that call tools of servers.",
  },
  {
    name: "--no-tools",
    aliases: [],
    kind: "boolean",
    group: "Tools",
    describe: "Offer no tools and start no servers.",
    excludes: ["--tools"],
  },
  {
    name: "--mcp",
    aliases: [],
    kind: "list",
    group: "Tools",
    value: "SOURCE",
    describe:
      "Use only the servers in this file, folder or URL, instead of those configured for the current folder. Separate several with commas, or repeat the flag.",
  },
  {
    name: "--help",
    aliases: ["-h"],
    kind: "boolean",
    group: "Meta",
    describe: "Show help, or the help of a command.",
  },
  {
    name: "--version",
    aliases: ["-v"],
    kind: "boolean",
    group: "Meta",
    describe: "Print the version.",
  },
];

/** The main table with what the parser needs. */
export const MAIN_FLAGS: readonly MainFlag[] = ROWS;

const SPECS: readonly FlagSpec[] = Object.freeze(
  ROWS.map(({ name, aliases, kind, group, describe }) =>
    Object.freeze({ name, aliases: Object.freeze([...aliases]), kind, group, describe }),
  ),
);

/** The main table: 18 rows in five groups. Returns the same frozen rows every time. */
export function flagSpecs(): readonly FlagSpec[] {
  return SPECS;
}

/** A row of the main table. Throws if there is none: a bug in our tables. */
export function mainFlag(name: string): Flag {
  const found = ROWS.find((row) => row.name === name);
  if (!found) throw new Error(`the main table has no flag ${name}`);
  return found;
}
