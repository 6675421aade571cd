import {
  COMMANDS,
  type CommandSpec,
  commandsIn,
  FLAGS,
  type FlagSpec,
  flagForm,
  flagsOf,
} from "./flag-table.ts";

const MAX_WIDTH = 100;

/** The text of `indus --help`, or of the commands whose names begin with the words of `topic`. */
export function helpText(topic = ""): string {
  return topic === "" ? wholeHelp() : topicHelp(commandsIn(topic));
}

function wholeHelp(): string {
  return [
    "indus: native tools and MCP servers behind one command\n",
    COMMANDS.map(commandHelp).join(""),
    ...[...new Set(FLAGS.map(({ group }) => group))].map((group) =>
      flagsHelp(
        group,
        FLAGS.filter((flag) => flag.group === group),
      ),
    ),
    "Results go to standard output, everything else to standard error.",
    "Exit codes: 0 done, 1 failed, 2 wrong usage, 129 hung up, 130 interrupted, 143 terminated.\n",
  ].join("\n");
}

function topicHelp(commands: readonly CommandSpec[]): string {
  const names = new Set(commands.map(({ name }) => name));
  const flags = FLAGS.filter(
    (flag) => flag.name === "--help" || flag.commands.some((name) => names.has(name)),
  );
  const examples = commands.flatMap((command) => command.examples ?? []).map((line) => `  ${line}\n`);
  return [
    commands.map(commandHelp).join(""),
    flagsHelp("Flags", flags),
    ...(examples.length > 0 ? [`Examples:\n${examples.join("")}`] : []),
  ].join("\n");
}

function commandHelp(command: CommandSpec): string {
  const { name, operands, summary } = command;
  const words = ["indus", name, operands ?? "", ...synopsis(command)].filter((word) => word !== "");
  return `${wrapped(words, "  ", "      ")}${wrapped(summary.split(" "), "      ", "      ")}`;
}

/** The flags of a command, those it cannot do without first. */
function synopsis({ name, needsOneOf = [] }: CommandSpec): string[] {
  const flags = flagsOf(name);
  const oneOf = flags.filter((flag) => needsOneOf.includes(flag.name));
  const required = flags.filter(({ requiredBy }) => requiredBy?.includes(name));
  const optional = flags.filter((flag) => !oneOf.includes(flag) && !required.includes(flag));
  return [
    ...(oneOf.length > 0 ? [`(${oneOf.map(flagForm).join(" | ")})`] : []),
    ...required.map((flag) => `${flagForm(flag)}${repeats(flag)}`),
    ...optional.map((flag) => `[${flagForm(flag)}]${repeats(flag)}`),
  ];
}

function repeats({ kind }: FlagSpec): string {
  return kind === "list" ? " …" : "";
}

function flagsHelp(heading: string, flags: readonly FlagSpec[]): string {
  const width = Math.max(...FLAGS.map((flag) => spelled(flag).length));
  const lines = flags.map((flag) => `  ${spelled(flag).padEnd(width)}  ${flag.describe}\n`);
  return `${heading}:\n${lines.join("")}`;
}

function spelled(flag: FlagSpec): string {
  return [...flag.aliases, flagForm(flag)].join(", ");
}

/** Words as lines of limited width; a word is never broken. */
function wrapped(words: readonly string[], first: string, next: string): string {
  const lines: string[] = [];
  let line = first;
  for (const word of words) {
    if (line.trim() !== "" && line.length + 1 + word.length > MAX_WIDTH) {
      lines.push(line);
      line = next;
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return `${[...lines, line].join("\n")}\n`;
}
