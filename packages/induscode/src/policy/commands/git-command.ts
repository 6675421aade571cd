import { checkOptions, type OptionTable, type SortedWords } from "./check-options.ts";
import { DIFFS, LOGS, SUBCOMMANDS, type Subcommand } from "./git-subcommands.ts";
import type { ShellWord } from "./shell-words.ts";

/** Options before the subcommand. Not -c, -C, -p, --git-dir …: they choose programs, or a folder that may name programs. */
const GLOBAL = new Set([
  "--no-pager",
  "-P",
  "--no-optional-locks",
  "--literal-pathspecs",
  "--no-replace-objects",
]);

/**
 * Why a `git` may do more than read. An alias cannot have the name of a built-in subcommand, so every name in the table is
 * the built-in. What git's own configuration names (external diff, textconv, file monitor) still runs.
 */
export function gitProblem(words: readonly ShellWord[]): string | undefined {
  const at = words.findIndex(({ text }) => !GLOBAL.has(text));
  const name = words[at]?.text;
  if (at < 0 || name === undefined) return "it has no subcommand";
  if (name === "--version" && words.length === at + 1) return undefined;
  const table = SUBCOMMANDS.get(name);
  if (!table) return `${name} is not known to only read`;
  const problem = subcommandProblem(words.slice(at + 1), table);
  return problem === undefined ? undefined : `${name}: ${problem}`;
}

function subcommandProblem(words: readonly ShellWord[], row: Subcommand): string | undefined {
  const verb = words[0]?.text ?? "";
  const hasVerb = verb !== "" && (row.verbs?.includes(verb) ?? false);
  if (row.verbs && !hasVerb && !(row.verbs.includes("") && (verb === "" || verb.startsWith("-"))))
    return `${verb === "" ? "without a verb it" : verb} is not known to only read`;
  const sorted = checkOptions(hasVerb ? words.slice(1) : words, withShared(row));
  // An operand would be the verb.
  if (row.verbs && !hasVerb && sorted.operands.length > 0) return "the verb must come first";
  return sorted.problem ?? formatProblem(sorted) ?? operandProblem(sorted, row);
}

const shared = new WeakMap<Subcommand, OptionTable>();

/** The table of a subcommand with the options that it shares with others. */
function withShared(row: Subcommand): OptionTable {
  const known = shared.get(row);
  if (known) return known;
  const parts: readonly OptionTable[] = [row, ...(row.diffs ? [DIFFS] : []), ...(row.logs ? [LOGS] : [])];
  const join = (pick: (table: OptionTable) => string | undefined, between = ""): string =>
    parts.map((part) => pick(part) ?? "").join(between);
  const table: OptionTable = {
    flags: join(({ flags }) => flags),
    values: join(({ values }) => values),
    optional: join(({ optional }) => optional),
    long: join(({ long }) => long, " "),
    count: parts.some(({ count }) => count === true),
    ...(row.operands === undefined ? {} : { operands: row.operands }),
  };
  shared.set(row, table);
  return table;
}

/** These placeholders check signatures, for which git runs the configured program. */
function formatProblem({ values }: SortedWords): string | undefined {
  const isSigned = values.some(
    ({ option, value }) => /^(format|pretty|sort)$/.test(option) && /%G|signature/i.test(value),
  );
  return isSigned ? "a format that checks signatures runs another program" : undefined;
}

/** Some subcommands list without operands, or with an option that makes a list of it, and create otherwise. */
function operandProblem({ operands, options }: SortedWords, row: Subcommand): string | undefined {
  const isListing = row.listsWith?.some((option) => options.has(option)) ?? true;
  return operands.length === 0 || isListing ? undefined : "an operand without --list creates something";
}
