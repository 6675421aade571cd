import { parseArgs } from "node:util";
import { type CommandSpec, FLAGS, type FlagSpec, flagForm, flagsOf } from "./flag-table.ts";
import type { UsageProblem } from "./invocation.ts";

/** The words after a command, sorted into flags and operands. Flags are named with their dashes. */
export interface ParsedFlags {
  has(flag: string): boolean;
  /** The last value given. */
  value(flag: string): string | undefined;
  /** The last value given as a number, for a flag of kind `number`. */
  number(flag: string): number | undefined;
  /** Every value given, in order. */
  list(flag: string): readonly string[];
  /** The words that are not flags, in order. */
  readonly operands: readonly string[];
}

/**
 * Reads `--flag value` and `--flag=value`. After `--` every word is an operand. `flags`: those that the command takes.
 */
export function parseFlags(
  words: readonly string[],
  command: CommandSpec,
  flags: readonly FlagSpec[] = flagsOf(command.name),
): ParsedFlags | UsageProblem {
  const { tokens } = parseArgs({ args: [...words], options: optionsFor(flags), strict: false, tokens: true });
  const found = new Map<string, readonly string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find(({ name, aliases }) => [name, ...aliases].includes(token.rawName));
    if (!flag) return unknownFlag(token.rawName, command, flags);
    const problem = valueProblem(flag, token);
    if (problem !== undefined) return { problem };
    found.set(flag.name, [...(found.get(flag.name) ?? []), token.value ?? ""]);
  }
  const [surplus] = operands;
  if (command.operands === undefined && surplus !== undefined)
    return { problem: `${shownName(command)} takes no argument ${JSON.stringify(surplus)}` };
  const problem = combinationProblem(command, flags, new Set(found.keys()));
  return problem === undefined ? readingOf(found, operands) : { problem };
}

/** Whether help is asked for. It is shown even if the rest of the line is wrong. */
export function asksForHelp(words: readonly string[]): boolean {
  const help = FLAGS.filter(({ name }) => name === "--help").flatMap(({ name, aliases }) => [
    name,
    ...aliases,
  ]);
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? words.length : end).some((word) => help.includes(word));
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

/** One option per spelling: `parseArgs` itself knows no long aliases. */
function optionsFor(flags: readonly FlagSpec[]): ParseOptions {
  const options = flags.flatMap(({ name, aliases, kind }) => {
    const type = kind === "boolean" ? "boolean" : "string";
    return [name, ...aliases].map((spelling) =>
      spelling.startsWith("--")
        ? ([spelling.slice(2), { type }] as const)
        : ([spelling, { type, short: spelling.slice(1) }] as const),
    );
  });
  return Object.fromEntries(options);
}

/** Names only the flag, not the value joined to it: that may be a secret. */
function unknownFlag(word: string, command: CommandSpec, flags: readonly FlagSpec[]): UsageProblem {
  const known = flags.map(({ name }) => name);
  return {
    problem: `unknown flag ${JSON.stringify(word)} for ${shownName(command)}`,
    unknown: { word, known },
  };
}

function shownName({ name }: CommandSpec): string {
  return name === "" ? "indus" : name;
}

interface GivenValue {
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueProblem(flag: FlagSpec, { value, inlineValue }: GivenValue): string | undefined {
  if (flag.kind === "boolean") return value === undefined ? undefined : `${flag.name} takes no value`;
  // Usually the value was forgotten and the next flag follows. `--flag=--value` passes such a value.
  const isMissing = value === undefined || value === "" || (!inlineValue && value.startsWith("--"));
  if (isMissing) return `${flag.name} needs a value: ${flagForm(flag)}`;
  const { accepts } = flag;
  return accepts?.isValid(value) === false ? `${flag.name} takes ${accepts.describe}` : undefined;
}

/** What the table demands of the flags together. */
function combinationProblem(
  command: CommandSpec,
  flags: readonly FlagSpec[],
  given: ReadonlySet<string>,
): string | undefined {
  const name = shownName(command);
  for (const flag of flags.filter((row) => given.has(row.name))) {
    const other = flag.excludes?.find((excluded) => given.has(excluded));
    if (other !== undefined) return `${name} takes ${flag.name} or ${other}, not both`;
  }
  const oneOf = flags.filter((row) => command.needsOneOf?.includes(row.name));
  if (oneOf.length > 0 && !oneOf.some((row) => given.has(row.name)))
    return `${name} needs ${oneOf.map(flagForm).join(" or ")}`;
  const missing = flags.find((row) => row.requiredBy?.includes(command.name) && !given.has(row.name));
  return missing ? `${name} needs ${flagForm(missing)}` : undefined;
}

function readingOf(found: ReadonlyMap<string, readonly string[]>, operands: readonly string[]): ParsedFlags {
  const value = (flag: string): string | undefined => found.get(flag)?.at(-1);
  return {
    has: (flag) => found.has(flag),
    value,
    number: (flag) => (found.has(flag) ? Number(value(flag)) : undefined),
    list: (flag) => found.get(flag) ?? [],
    operands,
  };
}
