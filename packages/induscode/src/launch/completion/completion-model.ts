import type { CommandSpecs } from "../command-spec.ts";
import { type Flag, spellings } from "../flag-spec.ts";
import { MAIN_FLAGS } from "../flag-table.ts";
import { SESSION_FLAGS } from "../session-flags.ts";
import { EVERYWHERE, type NameKind } from "../shared-flags.ts";

/** A flag as a shell completes it. */
export interface CompletedFlag {
  readonly spellings: readonly string[];
  readonly describe: string;
  /** What may follow it: nothing, one of these words, a path, or anything. */
  readonly value: "none" | "path" | "any" | readonly string[];
  /** The names that may follow it too. */
  readonly names: readonly NameKind[];
}

/** A command as a shell completes it. */
interface CompletedCommand {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly CompletedFlag[];
  /** The words that may follow its name. Empty: any. */
  readonly choices: readonly string[];
  /** The names that may follow too. */
  readonly names: readonly NameKind[];
}

/** Everything that can be completed, from the tables that the parser and the help use. */
export interface CompletionModel {
  readonly commands: readonly CompletedCommand[];
  /** The flags of a line without a command. */
  readonly flags: readonly CompletedFlag[];
}

export function completionModel(specs: CommandSpecs): CompletionModel {
  const commands = specs.map(({ name, summary, flags, operands = "", choices = [] }) => ({
    name,
    summary: firstSentence(summary),
    flags: uniqueFlags([...flags, ...EVERYWHERE]).map(completed),
    choices: name === "help" ? firstWords(specs) : choices,
    names: namesIn(operands),
  }));
  return { commands, flags: uniqueFlags([...MAIN_FLAGS, ...SESSION_FLAGS, ...EVERYWHERE]).map(completed) };
}

/** The words that can start a line, each with its summary. A family has the names of its commands instead. */
export function beginnings({
  commands,
}: CompletionModel): readonly (readonly [word: string, describe: string])[] {
  const words = [...new Set(commands.map(({ name }) => name.split(" ")[0] ?? name))];
  return words.map((word) => {
    const alone = commands.find(({ name }) => name === word);
    const verbs = verbsOf({ commands }, word).map(([verb]) => verb);
    return [word, alone?.summary ?? verbs.join(", ")] as const;
  });
}

/** The second words of a family, each with its summary. Empty for a command of one word. */
export function verbsOf(
  { commands }: Pick<CompletionModel, "commands">,
  family: string,
): readonly (readonly [verb: string, describe: string])[] {
  return commands.flatMap(({ name, summary }) => {
    const [first, verb] = name.split(" ");
    return first === family && verb !== undefined ? [[verb, summary] as const] : [];
  });
}

function firstWords(specs: CommandSpecs): readonly string[] {
  return [...new Set(specs.map(({ name }) => name.split(" ")[0] ?? name))];
}

function completed(flag: Flag): CompletedFlag {
  const { name, value = "", describe } = flag;
  const names: readonly NameKind[] = name === "--tools" ? ["tools"] : namesIn(value);
  return { spellings: spellings(flag), describe: firstSentence(describe), value: valueOf(flag), names };
}

/** The placeholders of the help say what is meant: `[SERVER …]`, `(SERVER | TOOL)`. */
function namesIn(form: string): readonly NameKind[] {
  return [
    ...(/\bSERVERS?\b/.test(form) ? ["servers" as const] : []),
    ...(/\bTOOL\b/.test(form) ? ["tools" as const] : []),
  ];
}

const PATHS: readonly string[] = ["--mcp", "--cwd"];

function valueOf({ name, kind, choices, accepts }: Flag): CompletedFlag["value"] {
  if (kind === "boolean") return "none";
  return choices ?? accepts?.known ?? (PATHS.includes(name) ? "path" : "any");
}

function uniqueFlags(flags: readonly Flag[]): readonly Flag[] {
  return [...new Map(flags.map((flag) => [flag.name, flag])).values()];
}

/** Completions have room for one short line. */
function firstSentence(text: string): string {
  return text.split(/(?<=[.:])\s/)[0]?.replace(/[.:]$/, "") ?? text;
}
