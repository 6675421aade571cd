import { checkOptions, type OptionTable, type SortedWords } from "./check-options.ts";
import { DIFFS, LOGS, SUBCOMMANDS, type Subcommand } from "./git-subcommands.ts";
import { linkProblem, type Where } from "./repository.ts";
import type { ShellWord } from "./shell-words.ts";

/** Options before the subcommand. Not -c, -C, -p, --git-dir …: they select programs, or a folder that may name programs. */
const GLOBAL = new Set([
  "--no-pager",
  "-P",
  "--no-optional-locks",
  "--literal-pathspecs",
  "--no-replace-objects",
]);

/**
 * Why a `git` may do more than read. An alias cannot override a built-in subcommand, so every name in the table is the
 * built-in. `readerEnvironment` keeps the configuration of the repository from running programs.
 */
export function gitProblem(words: readonly ShellWord[], where: Where): string | undefined {
  const at = words.findIndex(({ text }) => !GLOBAL.has(text));
  const name = words[at]?.text;
  if (at < 0 || name === undefined) return "it has no subcommand";
  if (name === "--version" && words.length === at + 1) return undefined;
  const table = SUBCOMMANDS.get(name);
  if (!table) return `${name} is not known to only read`;
  const problem =
    subcommandProblem(words.slice(at + 1), table) ??
    // If a tracked folder is now a link, it reads the target.
    (name === "grep" && !words.some(({ text }) => text === "--cached") ? linkProblem(where) : undefined);
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
    operands: row.operands,
  };
  shared.set(row, table);
  return table;
}

const NAMED_FORMATS = new Set("oneline short medium full fuller reference email mboxrd raw".split(" "));
/** Placeholders of commits (`%h`) and of references (`%(refname)`). Those for signatures, which run a program, are missing. */
const PLACEHOLDER =
  "[-+ ]?(?:[HhTtPpdDSesfbBNmn]|[ac][nNeElLdDrtiIsh]|g[DdnNeEs]|x?[0-9a-fA-F]{2}|C(?:red|green|blue|reset|\\([a-z0-9,# ]*\\))|" +
  "w\\([\\d, ]*\\)|[<>|]{1,3}\\([\\w, ]*\\)|\\((?!signature|\\*?GPG)[\\w:=,.*/ -]+\\)|%)";
const FORMAT = new RegExp(`^(?:[^%]|%${PLACEHOLDER})*$`);

/** Every part of a format must be known: one that checks signatures, or is named in the configuration, may run a program. */
function formatProblem({ values }: SortedWords): string | undefined {
  const odd = values.find(({ option, value }) => {
    // Git runs a separate process in a submodule, with the submodule's configuration.
    if (option === "ignore-submodules") return value !== "all";
    if (option === "sort") return !/^-?[a-zA-Z:*,=.-]+$/.test(value) || /signature/i.test(value);
    const format = value.replace(/^t?format:/, "");
    if (option === "group")
      return !/^(?:author|committer|trailer:[\w-]+)$/.test(value) && !isFormat(value, format);
    return (
      (option === "format" || option === "pretty") && !NAMED_FORMATS.has(value) && !isFormat(value, format)
    );
  });
  return odd && `--${odd.option}=${odd.value} may run a program`;
}

/** Without a placeholder or prefix it would name a format in the configuration. */
function isFormat(value: string, format: string): boolean {
  return (value !== format || format.includes("%")) && !/signature/i.test(format) && FORMAT.test(format);
}

/** Some subcommands list without operands or with a listing option, and create otherwise. */
function operandProblem({ operands, options }: SortedWords, row: Subcommand): string | undefined {
  const isListing = row.listsWith?.some((option) => options.has(option)) ?? true;
  return operands.length === 0 || isListing ? undefined : "an operand without --list creates something";
}
