import { checkOptions, type OptionTable } from "./check-options.ts";
import type { ShellWord } from "./shell-words.ts";

const TABLE: OptionTable = {
  flags: "nErszu",
  values: "e",
  long: "quiet silent regexp-extended expression= separate null-data posix sandbox",
};

// Brackets must be closed inside an expression and hold no slash: some versions of sed end the expression at a slash in
// brackets, and a script must mean the same to all of them.
const PIECE = String.raw`(?:[^\][/\\\n]|\\[^\n/]|\[\^?\]?(?:[^\][/\\\n]|\[:[a-z]+:\])*\])*`;
const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/${PIECE}/I?)`;
const RANGE = String.raw`(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\d+))? ?!? ?)?`;
/** Print, delete, number, quit, and a substitution that neither writes (`w`) nor runs its result (`e`). */
const COMMAND = String.raw`(?:[pdq=l]|s/${PIECE}/(?:[^/\\\n]|\\[^\n/])*/[gpIi0-9]*)`;
const SCRIPT = new RegExp(`^ *${RANGE}${COMMAND}(?: *[;\\n] *${RANGE}${COMMAND})* *;? *$`);
const MAX_SCRIPT = 1_000;

/** Why a `sed` may do more than print: an option such as -i, or a script with other than the few printing commands. */
export function sedProblem(words: readonly ShellWord[]): string | undefined {
  const { problem, operands, values } = checkOptions(words, TABLE);
  if (problem !== undefined) return problem;
  const given = values
    .filter(({ option }) => option === "e" || option === "expression")
    .map(({ value }) => value);
  const first = operands[0];
  const scripts = given.length > 0 ? given : [first?.text ?? ""];
  if (given.length === 0 && first?.globAt !== undefined) return "the script is a glob: quote it";
  const isKnown = scripts.every((script) => script.length <= MAX_SCRIPT && SCRIPT.test(script));
  return isKnown ? undefined : "the script has more than p, d, q, =, l and s/…/…/";
}
