import { COMMAND_GROUPS, type CommandSpec, type CommandSpecs, commandsIn } from "./command-spec.ts";
import { type Flag, flagForm } from "./flag-spec.ts";
import { MAIN_FLAGS } from "./flag-table.ts";
import { SESSION_FLAGS } from "./session-flags.ts";
import { EVERYWHERE } from "./shared-flags.ts";

/** `indus help`. The parser turns the words after it into a topic, so there is nothing to run. */
export const HELP_COMMAND: CommandSpec = {
  name: "help",
  group: "everyday",
  operands: "[COMMAND]",
  summary: "Show this help, or the help of one command.",
  flags: [],
  examples: ["indus help mcp call"],
  read: () => ({}),
};

const MAX_WIDTH = 80;
/** Narrower terminals wrap the lines themselves. */
const MIN_WIDTH = 40;
const MAX_FORM_CHARS = 26;

/**
 * The text of `indus --help`, of one command, or the menu of a family such as `mcp`. Lines are at most 80 characters long, or
 * `width` if that is less.
 */
export function helpText(commands: CommandSpecs, topic = "", width: number = MAX_WIDTH): string {
  const chars = Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH));
  if (topic === "") return wholeHelp(commands, chars);
  const command = commands.find(({ name }) => name === topic);
  return command ? commandHelp(command, chars) : familyHelp(commandsIn(commands, topic), topic, chars);
}

/** The commands a new user needs first. */
const FIRST_COMMANDS: readonly string[] = ["mcp add", "mcp list", "mcp call", "tools", "serve"];

/** What bare `indus` prints above the folder's servers: one line for each of the first commands. */
export function shortHelp(commands: CommandSpecs, width: number = MAX_WIDTH): string {
  const chars = Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH));
  const rows = commands.filter(({ name }) => FIRST_COMMANDS.includes(name));
  const lines = rows.map(({ name, summary }) =>
    entryLines(`indus ${name}`, firstSentence(summary), { column: 18, width: chars }),
  );
  const more = entryLines("indus --help", "Show all commands and flags.", { column: 18, width: chars });
  return `${TITLE}\n\n${lines.join("")}${more}`;
}

const TITLE = "indus: native tools and MCP servers behind one command";

function wholeHelp(commands: CommandSpecs, width: number): string {
  const groups = [...new Set(MAIN_FLAGS.map(({ group }) => group))].map((group) =>
    flagsHelp(
      group,
      MAIN_FLAGS.filter((flag) => flag.group === group),
      width,
    ),
  );
  return [
    wrapped(TITLE.split(" "), "", width),
    ...commandGroups(commands, width),
    wrapped("indus help COMMAND shows a command with its flags and examples.".split(" "), "", width),
    wrapped(SESSION_NOTE.split(" "), "", width),
    ...groups,
    flagsHelp("Session", SESSION_FLAGS, width),
    FOOTER.map((line) => wrapped(line.split(" "), "", width)).join(""),
  ].join("\n");
}

const SESSION_NOTE =
  'indus -p "PROMPT" gives a prompt to a model with all these tools; @FILE adds a file or an image to it. indus -i keeps the conversation open, as indus alone does on a terminal if INDUS_MODEL or indus config set model names one; indus --rpc lets a program drive it. The flags below are for that session. --cwd, --tools, --no-tools and --mcp also follow the commands that use servers.';

const FOOTER = [
  "Results go to standard output, everything else to standard error.",
  "Exit codes: 0 done, 1 failed, 2 wrong usage, 129 hung up, 130 interrupted, 143 terminated.",
];

/** What bare `indus mcp` prints. */
function familyHelp(commands: CommandSpecs, family: string, width: number): string {
  const more = `indus help ${family} COMMAND shows a command with its flags and examples.`;
  return [...commandGroups(commands, width), wrapped(more.split(" "), "", width)].join("\n");
}

/** One line for each command, under the groups that have any. */
function commandGroups(commands: CommandSpecs, width: number): string[] {
  const column = Math.max(...commands.map(({ name }) => name.length)) + 4;
  return COMMAND_GROUPS.flatMap((group) => {
    const lines = commands
      .filter((command) => command.group === group)
      .map(({ name, summary }) => entryLines(name, firstSentence(summary), { column, width }));
    const heading = `${group.slice(0, 1).toUpperCase()}${group.slice(1)}`;
    return lines.length > 0 ? [`${heading}:\n${lines.join("")}`] : [];
  });
}

function firstSentence(summary: string): string {
  return /^.*?\.(?=\s|$)/.exec(summary)?.[0] ?? summary;
}

function commandHelp(command: CommandSpec, width: number): string {
  return [
    synopsis(command, width),
    flagsHelp("Flags", uniqueFlags([...command.flags, ...EVERYWHERE]), width),
    `Examples:\n${command.examples.map((line) => exampleLines(line, width)).join("")}`,
  ].join("\n");
}

/** A command line to copy: wrapped lines end with a backslash. */
function exampleLines(example: string, width: number): string {
  if (example.length + 2 <= width) return `  ${example}\n`;
  const lines = wrapped(example.split(" "), "  ", width - 2)
    .trimEnd()
    .split("\n");
  return `${lines.join(" \\\n")}\n`;
}

function uniqueFlags(flags: readonly Flag[]): readonly Flag[] {
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()];
}

/** A command with its flags, required ones first, and its summary. */
function synopsis(command: CommandSpec, width: number): string {
  const { name, operands = "", flags, needsOneOf = [], summary } = command;
  const optional = flags.filter((flag) => !needsOneOf.includes(flag));
  const words = [
    "indus",
    name,
    ...operands.split(" "),
    ...(needsOneOf.length > 0 ? [`(${needsOneOf.map(flagForm).join(" | ")})`] : []),
    ...optional.map((flag) => `[${flagForm(flag)}]${repeats(flag)}`),
  ].filter((word) => word !== "");
  return `${wrapped(words, "  ", width)}${wrapped(summary.split(" "), "      ", width)}`;
}

function repeats(flag: Flag): string {
  return flag.kind === "list" || flag.repeats ? "…" : "";
}

/** The flags in two columns. */
function flagsHelp(heading: string, flags: readonly Flag[], width: number): string {
  const lengths = flags.map((flag) => spelled(flag).length).filter((length) => length <= MAX_FORM_CHARS);
  const column = Math.max(0, ...lengths) + 4;
  const lines = flags.map((flag) => entryLines(spelled(flag), flag.describe, { column, width }));
  return `${heading}:\n${lines.join("")}`;
}

/** A form and its text in two columns. After a form too long for its column, the text is on the next line. */
function entryLines(
  form: string,
  describe: string,
  { column, width }: { readonly column: number; readonly width: number },
): string {
  const text = wrapped(describe.split(" "), " ".repeat(column), width);
  const start = `  ${form}`;
  return start.length + 2 <= column ? `${start}${text.slice(start.length)}` : `${start}\n${text}`;
}

function spelled(flag: Flag): string {
  return [...flag.aliases, flagForm(flag)].join(", ");
}

/** Wraps between words. Later lines of a command are indented further. */
function wrapped(words: readonly string[], indent: string, width: number): string {
  const next = indent === "  " ? "      " : indent;
  const lines: string[] = [];
  let line = indent;
  for (const word of words) {
    if (line.trim() !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = next;
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return `${[...lines, line].join("\n")}\n`;
}
