import { join } from "node:path";
import { readShellWords } from "../commands/shell-words.ts";
import { type LocatedPath, locateWord, type PathBase } from "./locate.ts";
import { isLink, isMissing, realPath } from "./real-path.ts";

/** Beyond this number the disk is not asked any more; names are still compared. */
const MAX_LOOKUPS = 200;
const MAX_TEXTS = 2_000;
const MAX_TEXT = 4_096;

/** The paths that the words of a command line may mean, from its folder and from the folders that it changes to. */
export function pathsOfCommand(text: string, base: PathBase): LocatedPath[] {
  const { parts, problem } = readShellWords(text);
  const words = parts.flatMap((part) => [
    ...part.words.map((word) => word.text),
    ...part.redirects.map(({ target }) => target.text),
  ]);
  // A line that could not be read completely: split it at everything that may end a word.
  if (problem !== undefined) words.push(...text.split(/[\s;|&<>()'"`$=,{}]+/));
  const folders = parts
    .filter((part) => part.words[0]?.text === "cd")
    .map((part) => part.words.at(-1)?.text ?? "");
  const bases = [base, ...folders.map((folder) => ({ ...base, cwd: locateWord(folder, base).real }))];
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
  const value = word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [];
  // A single slash behind a letter is a separator, as in `cut -d/`.
  const glued = word.startsWith("-") ? (/[~/.].+$/s.exec(word)?.slice(0, 1) ?? []) : [];
  return [word, ...value, ...glued].filter((spelling) => spelling !== "" && !spelling.startsWith("-"));
}

function locateAll(words: readonly string[], base: PathBase): LocatedPath[] {
  const real = realPath(base.cwd);
  return words.map((word, index) => {
    const written = join(base.cwd, word);
    if (index >= MAX_LOOKUPS) return { written, real: written };
    // Most words are no paths. A plain name needs one look: only a link leads elsewhere.
    const isName = /^[^\\/~]+$/.test(word) && word !== "..";
    if (isName && !isLink(written)) return { written, real: join(real, word) };
    const located = locateWord(word, base);
    return isMissing(located.real) ? { ...located, isMissing: true } : located;
  });
}
