import { checkOptions, type OptionTable } from "./check-options.ts";
import type { ShellWord } from "./shell-words.ts";

const NUMBER = /^[+-]?\d+[a-zA-Z]?$/;
/** Tests and actions without a value. The actions among them print, prune or stop. */
const PLAIN = words(
  "-P ! -not -a -and -o -or , ( ) -empty -true -false -print -print0 -ls -prune -quit -depth -d -xdev -mount " +
    "-daystart -noleaf -nouser -nogroup -readable -writable -executable -ignore_readdir_race -warn -nowarn",
);
/** Tests with a number, which may begin with a sign. */
const NUMERIC = words(
  "-maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -links -inum -uid -gid -used",
);
/** Tests with a text. */
const TEXTUAL = words(
  "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -newer -anewer -cnewer -perm -user " +
    "-group -lname -ilname -samefile -fstype -printf",
);

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}

/**
 * Why a `find` may do more than read. Its words are not options in the usual sense, and `--` does not end them. Deliberately
 * missing from the lists: -L, -H and -follow, which leave the folder through links, -exec, -execdir, -ok, -okdir, -delete,
 * -fprint, -fprint0, -fprintf, -fls, -files0-from.
 */
export function findProblem(all: readonly ShellWord[]): string | undefined {
  let at = 0;
  for (; at < all.length; at += 1) {
    const { text } = all[at] as ShellWord;
    if (!text.startsWith("-") || PLAIN.has(text)) continue;
    const isDate = /^-newer[aBcm][aBcmt]$/.test(text);
    const isNumeric = NUMERIC.has(text);
    if (!isDate && !isNumeric && !TEXTUAL.has(text)) return `${text} is not known to only read`;
    at += 1;
    const value = all[at];
    if (!value || value.globAt !== undefined) return `${text} has no value, or a glob: quote it`;
    // Refuse a text that looks like an action: another version may not take a value here.
    const fits = isNumeric ? NUMBER.test(value.text) : text === "-perm" || !value.text.startsWith("-");
    if (!fits) return `the value of ${text} is not usual`;
  }
  return undefined;
}

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
