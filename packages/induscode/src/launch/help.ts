import { type CommandSpec, type CommandSpecs, commandsIn } from "./command-spec.ts";
import { type Flag, flagForm } from "./flag-spec.ts";
import { MAIN_FLAGS } from "./flag-table.ts";
import { SESSION_FLAGS } from "./session-flags.ts";
import { EVERYWHERE } from "./shared-flags.ts";

/** `indus help`. The parser turns it into the help of the words that follow, so there is nothing to run. */
export const HELP_COMMAND: CommandSpec = {
  name: "help",
  operands: "[COMMAND]",
  summary: "Show this help, or the help of one command.",
  flags: [],
  examples: ["indus help mcp call"],
  read: () => ({}),
};

const MAX_WIDTH = 80;
/** A narrower terminal breaks the lines itself. */
const MIN_WIDTH = 40;
const MAX_FORM_CHARS = 26;

/**
 * The text of `indus --help`, or of the commands whose names begin with the words of `topic`. No line is longer than 80
 * characters, or than `width` if that is less.
 */
export function helpText(commands: CommandSpecs, topic = "", width: number = MAX_WIDTH): string {
  const chars = Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH));
  return topic === "" ? wholeHelp(commands, chars) : topicHelp(commandsIn(commands, topic), chars);
}

/** The commands that a new user needs first. */
const FIRST_COMMANDS: readonly string[] = ["mcp add", "mcp list", "mcp call", "tools", "serve"];

/** What `indus` without words shows above the servers of the folder: a line for each of the first commands. */
export function shortHelp(commands: CommandSpecs, width: number = MAX_WIDTH): string {
  const chars = Math.max(MIN_WIDTH, Math.min(width, MAX_WIDTH));
  const rows = commands.filter(({ name }) => FIRST_COMMANDS.includes(name));
  const lines = rows.map(({ name, summary }) => {
    const [sentence = ""] = /^.*?[.;](?=\s|$)/.exec(summary) ?? [];
    return entryLines(`indus ${name}`, sentence.replace(/;$/, "."), { column: 18, width: chars });
  });
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
    `Commands:\n${commands.map((command) => commandLines(command, width)).join("")}`,
    wrapped("indus help COMMAND shows the flags of a command.".split(" "), "", width),
    wrapped(SESSION_NOTE.split(" "), "", width),
    ...groups,
    flagsHelp("Session", SESSION_FLAGS, width),
    FOOTER.map((line) => wrapped(line.split(" "), "", width)).join(""),
  ].join("\n");
}

const SESSION_NOTE =
  'indus -p "PROMPT" gives a prompt to a model with all these tools; @FILE adds a file or an image to it. indus -i keeps the conversation open, as indus alone does on a terminal if INDUS_MODEL is set; indus --rpc lets a program drive it. The flags below are for that session. --cwd, --tools, --no-tools and --mcp also follow the commands that use servers.';

const FOOTER = [
  "Results go to standard output, everything else to standard error.",
  "Exit codes: 0 done, 1 failed, 2 wrong usage, 129 hung up, 130 interrupted, 143 terminated.",
];

function commandLines({ name, operands, summary }: CommandSpec, width: number): string {
  const words = [name, ...(operands ?? "").split(" ")].filter((word) => word !== "");
  return `${wrapped(words, "  ", width)}${wrapped(summary.split(" "), "      ", width)}`;
}

function topicHelp(commands: CommandSpecs, width: number): string {
  const flags = uniqueFlags([...commands.flatMap((command) => command.flags), ...EVERYWHERE]);
  const examples = commands.flatMap((command) => command.examples).map((line) => exampleLines(line, width));
  return [
    commands.map((command) => synopsis(command, width)).join(""),
    flagsHelp("Flags", flags, width),
    `Examples:\n${examples.join("")}`,
  ].join("\n");
}

/** A command line that can be copied: where it is broken, a shell goes on with the next line. */
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

/** A command with its flags, those it cannot do without first, and its summary. */
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

/** The flags in two columns. A flag too long for the first has its text on the next line. */
function flagsHelp(heading: string, flags: readonly Flag[], width: number): string {
  const lengths = flags.map((flag) => spelled(flag).length).filter((length) => length <= MAX_FORM_CHARS);
  const column = Math.max(0, ...lengths) + 4;
  const lines = flags.map((flag) => entryLines(spelled(flag), flag.describe, { column, width }));
  return `${heading}:\n${lines.join("")}`;
}

/** A form and its text, which begins at a column, or on the next line if the form is too long. */
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

/** Words as lines of limited width. A word is never broken. Later lines of a command are indented further. */
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
