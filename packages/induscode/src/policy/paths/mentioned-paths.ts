import { readShellWords } from "../commands/shell-words.ts";
import { baseAt, type LocatedPath, locateWord, type PathBase } from "./locate.ts";
import { isLink } from "./real-path.ts";

/** Beyond this number the disk is not asked any more; names are still compared. */
const MAX_LOOKUPS = 200;
const MAX_TEXTS = 2_000;
const MAX_TEXT = 4_096;

/** The paths that the words of a command line may mean, from its folder and from the folders that it changes to. */
export function pathsOfCommand(text: string, base: PathBase): LocatedPath[] {
  const { parts, problem } = readShellWords(text);
  const words = parts.flatMap((part) => [
    // The name of a program is looked up elsewhere, unless it is a path.
    ...part.words.map((word) => word.text).filter((word, index) => index > 0 || word.includes("/")),
    ...part.redirects.map(({ target }) => target.text),
  ]);
  // A line that could not be read completely: split it at everything that may end a word.
  if (problem !== undefined) words.push(...text.split(/[\s;|&<>()'"`$=,{}]+/));
  const folders = parts
    .filter((part) => part.words[0]?.text === "cd")
    .map((part) => part.words.at(-1)?.text ?? "");
  const bases = [base, ...folders.map((folder) => baseAt(locateWord(folder, base).real, base))];
  const spellings = [...new Set(words.flatMap(spellingsOf))];
  return bases.flatMap((one) => locateAll(spellings, one));
}

/** The texts in some arguments that may be paths. */
export function pathsOfInput(input: unknown, base: PathBase): LocatedPath[] {
  const texts = new Set<string>();
  const waiting: unknown[] = [input];
  for (let seen = 0; waiting.length > 0 && seen < MAX_TEXTS; seen += 1) {
    const value = waiting.pop();
    if (typeof value === "string") texts.add(value.replace(/^file:\/\//, ""));
    else if (typeof value === "object" && value !== null) waiting.push(...Object.values(value));
  }
  return locateAll([...texts].filter(isPathLike), base);
}

function isPathLike(text: string): boolean {
  return text !== "" && text.length <= MAX_TEXT && !text.includes("\n") && /[\\/.~]/.test(text);
}

/** A word may be a path, or hold one after `=` or behind the letter of an option. */
function spellingsOf(word: string): string[] {
  if (word === "" || word.length > MAX_TEXT) return [];
  const isOption = word.startsWith("-");
  const equals = word.indexOf("=");
  const spellings = isOption ? [] : [word];
  if (equals >= 0) spellings.push(word.slice(equals + 1));
  // A single slash behind a letter is a separator, as in `cut -d/`.
  const glued = isOption ? /[~/.].+$/s.exec(word) : null;
  if (glued) spellings.push(glued[0]);
  return spellings.filter((spelling) => spelling !== "" && !spelling.startsWith("-"));
}

function locateAll(words: readonly string[], base: PathBase): LocatedPath[] {
  return words.map((word, index) => {
    // Most words are no paths. A plain name needs one look: only a link leads elsewhere.
    const isName = !/[\\/~]/.test(word) && word !== "." && word !== "..";
    if (!isName && index < MAX_LOOKUPS) return locateWord(word, base);
    const written = `${base.cwd}/${word}`;
    const leadsElsewhere = index < MAX_LOOKUPS && isLink(written);
    return leadsElsewhere ? locateWord(word, base) : { written, real: `${base.realCwd}/${word}` };
  });
}
