import { devNull } from "node:os";
import { foldersOf } from "../commands/plain-reader.ts";
import { readShellWords, type ShellPart } from "../commands/shell-words.ts";
import { baseAt, type LocatedPath, locateWord, type PathBase } from "./locate.ts";
import { followPath, isLink } from "./real-path.ts";

/** Beyond this number the disk is not asked any more; names are still compared. A command line has fewer. */
const MAX_LOOKUPS = 25_000;
const MAX_TEXTS = 2_000;
const MAX_TEXT = 4_096;

/** The paths that the words of a command line may mean, in each folder that their command may run in. */
export function pathsOfCommand(text: string, base: PathBase): LocatedPath[] {
  const { parts, problem } = readShellWords(text);
  const folders = foldersOf(parts, base.realCwd, (folder, part) => cdTarget(part, { ...base, cwd: folder }));
  const paths = parts.flatMap((part, index) => {
    // The name of a program is looked up elsewhere, unless it is a path.
    const words = part.words.map((word) => word.text).filter((word, at) => at > 0 || word.includes("/"));
    const spellings = spellingsOfAll([...words, ...part.redirects.map(({ target }) => target.text)]);
    return (folders[index] ?? []).flatMap((folder) => locateAll(spellings, baseIn(folder, base)));
  });
  // A line that could not be read completely: split it at everything that may end a word.
  if (problem !== undefined)
    paths.push(...locateAll(spellingsOfAll(text.split(/[\s;|&<>()'"`$=,{}]+/)), base));
  return paths;
}

/** The folder of the base keeps its name as written. */
function baseIn(folder: string, base: PathBase): PathBase {
  return folder === base.realCwd ? base : baseAt(folder, base);
}

function cdTarget({ words }: ShellPart, base: PathBase): string | undefined {
  return words[0]?.text === "cd" ? locateWord(words.at(-1)?.text ?? "", base).real : undefined;
}

function spellingsOfAll(words: readonly string[]): string[] {
  return [...new Set(words.flatMap(spellingsOf))];
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

/** A word may be a path, or hold one after `=` or behind any number of letters of options. */
function spellingsOf(word: string): string[] {
  if (word === "" || word.length > MAX_TEXT) return [];
  const equals = word.indexOf("=");
  const spellings = equals < 0 ? [word] : [word, word.slice(equals + 1)];
  if (/^-[^-]/.test(word)) for (let at = 2; at < word.length; at += 1) spellings.push(word.slice(at));
  // A single slash behind a letter is a separator, as in `cut -d/`.
  return spellings.filter(
    (spelling) => spelling !== "" && spelling !== devNull && !(spelling === "/" && spelling !== word),
  );
}

function locateAll(words: readonly string[], base: PathBase): LocatedPath[] {
  return words.map((word, index) => {
    // Most words are no paths. A plain name needs one look: only a link leads elsewhere.
    const isName = !/[\\/~]/.test(word) && word !== "." && word !== "..";
    if (!isName && index < MAX_LOOKUPS) return asMeant(word, locateWord(word, base));
    const written = `${base.cwd}/${word}`;
    const leadsElsewhere = index < MAX_LOOKUPS && isLink(written);
    return leadsElsewhere
      ? asMeant(word, locateWord(word, base))
      : { written, real: `${base.realCwd}/${word}` };
  });
}

/**
 * What is not there may be a pattern, as in `sed -n /x/p`. It counts as a path all the same if it begins in the home folder,
 * in a folder above, or in a folder that exists, or if a link is on its way.
 */
function asMeant(word: string, { isMissing, ...path }: LocatedPath): LocatedPath {
  const [, first] = /^\/+([^/]+)/.exec(word) ?? [];
  const isPath = first === undefined ? /^~|^\.\.|\/\.\./.test(word) : !followPath(`/${first}`).isMissing;
  return isMissing && !isPath && path.real === path.written ? { ...path, isMissing } : path;
}
