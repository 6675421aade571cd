import { type CommandSpec, type CommandSpecs, commandsIn } from "./command-spec.ts";
import { spellings } from "./flag-spec.ts";
import { MAIN_FLAGS } from "./flag-table.ts";
import { HELP_COMMAND } from "./help.ts";
import { readInvocation } from "./invocation.ts";
import { parseFlags } from "./parse-flags.ts";
import type { ParsedLine } from "./parsed-line.ts";
import { readSessionFlags, SESSION_FLAGS } from "./session-flags.ts";
import { EVERYWHERE, readCluster } from "./shared-flags.ts";
import type { UsageProblem } from "./usage-problem.ts";

/**
 * Parses the words after the program's name. The first word selects a subcommand if it starts the name of one; everything else
 * is for the session with a model. A wrong line becomes `usage`.
 */
export function parseArguments(given: readonly string[], commands: CommandSpecs): ParsedLine {
  const words = withoutAlias(given, commands);
  if (isGiven("--help", words)) return helpLine(words, commands) ?? { kind: "help" };
  const [first] = words;
  const isCommand = first !== undefined && first !== "" && commandsIn(commands, first).length > 0;
  if (isCommand && words.length === 1 && isFamily(first, commands)) return { kind: "help", topic: first };
  const line = isCommand ? commandLine(words, commands) : mainLine(words);
  return "problem" in line ? { kind: "usage", ...line } : line;
}

/** The words with the own name of a command instead of an alias, also after `help`. */
function withoutAlias(words: readonly string[], commands: CommandSpecs): readonly string[] {
  const [first, ...others] = words;
  if (first === HELP_COMMAND.name) return [first, ...withoutAlias(others, commands)];
  // A family's name alone may stand for one of its commands: `sessions --all`.
  const count = words[1] === undefined || words[1].startsWith("-") ? 1 : 2;
  const command = commands.find(({ aliases }) => aliases?.includes(words.slice(0, count).join(" ")));
  return command ? [...command.name.split(" "), ...words.slice(count)] : words;
}

/** Whether `--no-color` is given, even if the rest of the line is wrong. */
export function refusesColours(words: readonly string[]): boolean {
  return isGiven("--no-color", words);
}

/** Whether a flag that every command takes is given before `--`. */
function isGiven(name: string, words: readonly string[]): boolean {
  const known = EVERYWHERE.filter((flag) => flag.name === name).flatMap(spellings);
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? words.length : end).some((word) => known.includes(word));
}

/** A line without a subcommand. */
function mainLine(words: readonly string[]): ParsedLine | UsageProblem {
  const own = EVERYWHERE.filter(({ name }) => !MAIN_FLAGS.some((flag) => flag.name === name));
  const known = [...MAIN_FLAGS, ...SESSION_FLAGS];
  const flags = parseFlags(words, { name: "indus", flags: [...known, ...own], operands: "[PROMPT]" });
  if ("problem" in flags) return { ...flags, firstWord: firstWordOf(words) };
  if (flags.has("--version")) return { kind: "version" };
  const invocation = readInvocation(flags);
  const flag = known.find(({ name }) => flags.has(name));
  const hasWords = invocation.prompt !== undefined || invocation.attachments.length > 0;
  if (!hasWords && !flag) return { kind: "overview" };
  // After `--` there is no command.
  const [firstWord] = words.includes("--") ? [] : flags.operands;
  return {
    kind: "session",
    invocation,
    flags: readSessionFlags(flags),
    because: hasWords ? "a prompt" : (flag?.name ?? ""),
    firstWord,
  };
}

/** The first word, unless it is a flag, a quoted text, or the line says how to answer a prompt. */
function firstWordOf(words: readonly string[]): string | undefined {
  const [first = "-"] = words;
  const answers = MAIN_FLAGS.filter(({ name }) => name === "--print" || name === "--interactive");
  const isPrompt = words.some((word) => answers.flatMap(spellings).includes(word));
  return isPrompt || /^[-@]|\s/.test(first) ? undefined : first;
}

function commandLine(words: readonly string[], commands: CommandSpecs): ParsedLine | UsageProblem {
  const found = findCommand(words, commands);
  if ("problem" in found) return found;
  const { command, rest } = found;
  const { name } = command;
  const refused = command.refuse?.(rest);
  if (refused) return { ...refused, topic: name };
  const flags = parseFlags(rest, { ...command, flags: [...command.flags, ...EVERYWHERE] });
  if ("problem" in flags) return { ...flags, topic: name };
  if (command === HELP_COMMAND) {
    const topic = [...flags.operands, ...flags.afterEnd];
    return helpLine(topic, commands) ?? unknownCommand(topic, commands);
  }
  const request = command.read(flags);
  if ("problem" in request) return { ...request, topic: name };
  const cwd = flags.value("--cwd");
  const cluster = command.onClusterState ? readCluster(flags) : undefined;
  return { kind: "command", name, request, cwd, ...(cluster && { cluster }) };
}

interface FoundCommand {
  readonly command: CommandSpec;
  /** The words after those that name the command. */
  readonly rest: readonly string[];
}

function findCommand(words: readonly string[], commands: CommandSpecs): FoundCommand | UsageProblem {
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(" ");
    const command = commands.find((each) => each.name === name);
    if (command) return { command, rest: words.slice(count) };
  }
  return unknownCommand(words, commands);
}

/** The words start with a family but no verb of it, or follow `help` and name nothing. */
function unknownCommand([first = "", second]: readonly string[], commands: CommandSpecs): UsageProblem {
  const names = commands.map(({ name }) => name);
  const pairs = names.map((name) => name.split(" "));
  const verbs = pairs.flatMap(([family, verb]) => (family === first && verb !== undefined ? [verb] : []));
  const isVerb = verbs.length > 0;
  if (isVerb && (second === undefined || second.startsWith("-")))
    return { problem: `${first} needs one of ${verbs.join(", ")}`, topic: first };
  if (isVerb)
    return {
      problem: `unknown command ${JSON.stringify(`${first} ${second}`)}`,
      unknown: { word: second ?? "", known: verbs },
      topic: first,
    };
  return {
    problem: `unknown command ${JSON.stringify(first)}`,
    unknown: { word: first, known: commandWords(commands) },
  };
}

/** The words that can start a line, and the commands of two words, for suggestions. */
export function commandWords(commands: CommandSpecs): readonly string[] {
  const names = commands.map(({ name }) => name);
  return [...new Set(names.flatMap((name) => [...name.split(" ").slice(0, 1), name]))];
}

/** The help for the command that the first words name. Undefined if they name none. */
function helpLine(words: readonly string[], commands: CommandSpecs): ParsedLine | undefined {
  const [first, second] = words;
  if (first === undefined || first.startsWith("-")) return { kind: "help" };
  const topics = second === undefined ? [first] : [`${first} ${second}`, first];
  const topic = topics.find((name) => commandsIn(commands, name).length > 0);
  // The second word of a family must be right: `help mcp lst`. After a command any word may follow: `call read --help`.
  const isWrong =
    topic === first && second !== undefined && !second.startsWith("-") && isFamily(first, commands);
  return topic === undefined || isWrong ? undefined : { kind: "help", topic };
}

/** Whether a word needs a second one to be a command, as `mcp` does. */
function isFamily(word: string, commands: CommandSpecs): boolean {
  return commandsIn(commands, word).every(({ name }) => name !== word);
}
