import { parseArgs } from "node:util";
import { type Flag, flagForm, spellings } from "./flag-spec.ts";
import type { UsageProblem } from "./usage-problem.ts";

/** The words after a command, sorted into flags and operands. Flags are named with their dashes. */
export interface ParsedFlags {
  has(flag: string): boolean;
  /** The last value given. */
  value(flag: string): string | undefined;
  /** The last value given as a number, for a flag of kind `number`. */
  number(flag: string): number | undefined;
  /** Every value given, in order. Those of a flag of kind `list` are split at commas. */
  list(flag: string): readonly string[];
  /** The words before `--` that are not flags, in order. */
  readonly operands: readonly string[];
  /** The words after `--`. */
  readonly afterEnd: readonly string[];
}

/** What the parser needs to know about a command. */
export interface FlagReader {
  /** For messages. */
  readonly name: string;
  readonly flags: readonly Flag[];
  /** Absent: only flags may follow. */
  readonly operands?: string | undefined;
  readonly needsOneOf?: readonly Flag[] | undefined;
  /** See `CommandSpec`. */
  readonly takesToolFlags?: boolean | undefined;
}

/** Reads `--flag value`, `--flag=value`, and short flags alone or combined. */
export function parseFlags(given: readonly string[], reader: FlagReader): ParsedFlags | UsageProblem {
  const { name, flags } = reader;
  const { words, pairs } = reader.takesToolFlags ? splitToolFlags(given, flags) : { words: given, pairs: [] };
  const { tokens } = parseArgs({ args: [...words], options: optionsFor(flags), strict: false, tokens: true });
  const found = new Map<string, readonly string[]>();
  const operands: string[] = [];
  const afterEnd: string[] = [];
  let isEnded = false;
  for (const token of tokens) {
    if (token.kind === "option-terminator") isEnded = true;
    if (token.kind === "positional") (isEnded ? afterEnd : operands).push(token.value);
    if (token.kind !== "option") continue;
    const flag = flags.find((each) => spellings(each).includes(token.rawName));
    if (!flag) return unknownFlag(token.rawName, reader);
    const problem = valueProblem(flag, token);
    if (problem) return problem;
    found.set(flag.name, [...(found.get(flag.name) ?? []), ...valuesOf(flag, token.value ?? "")]);
  }
  const [surplus] = [...operands, ...afterEnd];
  if (reader.operands === undefined && surplus !== undefined)
    return { problem: `${name} takes no argument ${JSON.stringify(surplus)}` };
  const problem = combinationProblem(reader, new Set(found.keys()));
  return problem === undefined ? readingOf(found, operands, [...afterEnd, ...pairs]) : { problem };
}

interface SplitWords {
  /** Our own flags, and all words that are no flags. */
  readonly words: readonly string[];
  /** The flags for a tool, as `name=value`. Last, because the name of the tool may follow them. */
  readonly pairs: readonly string[];
}

/** Takes the flags for a tool out of a line. Our own flags win; after `--` there are none of ours. */
function splitToolFlags(given: readonly string[], flags: readonly Flag[]): SplitWords {
  const words: string[] = [];
  const pairs: string[] = [];
  let isEnded = false;
  for (let place = 0; place < given.length; place += 1) {
    const word = given[place] ?? "";
    const next = given[place + 1];
    const [name = ""] = word.split("=", 1);
    const own = isEnded ? undefined : flags.find((flag) => spellings(flag).includes(name));
    if (word === "--" && !isEnded) isEnded = true;
    const isForTool = !own && /^--[^-=]/.test(word);
    const isJoined = word !== name;
    if (!isForTool) {
      words.push(word);
      const takesNext = own !== undefined && own.kind !== "boolean" && !isJoined && next !== undefined;
      // `--timeout --json` lacks a value, which the parser reports.
      if (takesNext && !next.startsWith("--")) words.push(given[++place] ?? "");
    } else if (isJoined) pairs.push(word.slice(2));
    else if (next === undefined || next.startsWith("--")) pairs.push(`${word.slice(2)}:=true`);
    else pairs.push(`${word.slice(2)}=${given[++place] ?? ""}`);
  }
  return { words, pairs };
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>["options"]>;

/** One option per spelling: `parseArgs` has no long aliases. */
function optionsFor(flags: readonly Flag[]): ParseOptions {
  const options = flags.flatMap((flag) => {
    const type = flag.kind === "boolean" ? "boolean" : "string";
    return spellings(flag).map((spelling) =>
      spelling.startsWith("--")
        ? ([spelling.slice(2), { type }] as const)
        : ([spelling, { type, short: spelling.slice(1) }] as const),
    );
  });
  return Object.fromEntries(options);
}

/** Names only the flag: the value joined to it may be a secret. */
function unknownFlag(word: string, { name, flags }: FlagReader): UsageProblem {
  const known = flags.map((flag) => flag.name);
  const problem = `unknown flag ${JSON.stringify(word)} for ${name}`;
  const meant = flags.find(({ triedAs }) => triedAs?.includes(word));
  if (meant) return { problem, hint: `did you mean ${flagForm(meant)}?` };
  return { problem, unknown: { word, known } };
}

interface GivenValue {
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueProblem(flag: Flag, { value, inlineValue }: GivenValue): UsageProblem | undefined {
  const { name, kind, choices, accepts } = flag;
  if (kind === "boolean") return value === undefined ? undefined : { problem: `${name} takes no value` };
  // Usually the value was forgotten and the next flag follows. `--flag=--value` still works.
  const isMissing = value === undefined || (!inlineValue && value.startsWith("--"));
  if (isMissing || valuesOf(flag, value).length === 0)
    return { problem: `${name} needs a value: ${flagForm(flag)}` };
  if (choices && !choices.includes(value))
    return {
      problem: `${name} takes one of ${choices.join(", ")}, not ${JSON.stringify(value)}`,
      unknown: { word: value, known: choices },
    };
  const wrong = accepts && valuesOf(flag, value).find((each) => !accepts.isValid(each));
  if (wrong === undefined) return undefined;
  const { describe, known } = accepts ?? {};
  // Only names that can be misspelled are quoted: other values may be secrets.
  return known
    ? {
        problem: `${name} does not know ${JSON.stringify(wrong)}; it takes ${describe}`,
        unknown: { word: wrong, known },
      }
    : { problem: `${name} takes ${describe}` };
}

/** The values in one text. None if it is empty. */
function valuesOf({ kind }: Flag, text: string): readonly string[] {
  if (kind === "boolean") return [text];
  const values = kind === "list" ? text.split(",").map((value) => value.trim()) : [text];
  return values.filter((value) => value !== "");
}

/** Checks the flags together. */
function combinationProblem(
  { name, flags, needsOneOf = [] }: FlagReader,
  given: ReadonlySet<string>,
): string | undefined {
  for (const flag of flags.filter((row) => given.has(row.name))) {
    const other = flag.excludes?.find((excluded) => given.has(excluded));
    if (other !== undefined) return `${name} takes ${flag.name} or ${other}, not both`;
  }
  const isOneGiven = needsOneOf.length === 0 || needsOneOf.some((flag) => given.has(flag.name));
  return isOneGiven ? undefined : `${name} needs ${needsOneOf.map(flagForm).join(" or ")}`;
}

function readingOf(
  found: ReadonlyMap<string, readonly string[]>,
  operands: readonly string[],
  afterEnd: readonly string[],
): ParsedFlags {
  const value = (flag: string): string | undefined => found.get(flag)?.at(-1);
  return {
    has: (flag) => found.has(flag),
    value,
    number: (flag) => (found.has(flag) ? Number(value(flag)) : undefined),
    list: (flag) => found.get(flag) ?? [],
    operands,
    afterEnd,
  };
}
