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
