import { devNull } from "node:os";
import { foldersOf } from "../commands/plain-reader.ts";
import { readShellWords, type ShellPart } from "../commands/shell-words.ts";
import { baseAt, type LocatedPath, locateWord, type PathBase } from "./locate.ts";
import { followLinks, isLink } from "./real-path.ts";

/** Beyond this number, names are compared without looking at the disk. No command line has that many. */
const MAX_LOOKUPS = 25_000;
const MAX_TEXTS = 2_000;
const MAX_TEXT = 4_096;

/** The paths that the words of a command line may mean, in each folder that the command may run in. */
export function pathsOfCommand(text: string, base: PathBase): LocatedPath[] {
  const { parts, problem } = readShellWords(text);
  const folders = foldersOf(parts, base.realCwd, (folder, part) => cdTarget(part, { ...base, cwd: folder }));
  const paths = parts.flatMap((part, index) => {
    // A program name is looked up in PATH, unless it is a path.
    const words = part.words.map((word) => word.text).filter((word, at) => at > 0 || word.includes("/"));
    const spellings = spellingsOfAll([...words, ...part.redirects.map(({ target }) => target.text)]);
    return (folders[index] ?? []).flatMap((folder) => locateAll(spellings, baseIn(folder, base)));
  });
  // The line could not be parsed completely: split it at everything that may end a word.
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

/** The strings in the arguments that may be paths. */
export function pathsOfInput(input: unknown, base: PathBase): LocatedPath[] {
  const texts: string[] = [];
  const waiting: unknown[] = [input];
  for (let seen = 0; waiting.length > 0 && seen < MAX_TEXTS; seen += 1) {
    const value = waiting.pop();
    if (typeof value === "string") {
      const text = value.startsWith("file://") ? value.slice("file://".length) : value;
      if (isPathLike(text)) texts.push(text);
    } else if (typeof value === "object" && value !== null) waiting.push(...Object.values(value));
  }
  return texts.length > 0 ? locateAll([...new Set(texts)], base) : [];
}

function isPathLike(text: string): boolean {
  return text !== "" && text.length <= MAX_TEXT && !text.includes("\n") && /[\\/.~]/.test(text);
}

/** A word may be a path, or contain one after `=` or after option letters. */
function spellingsOf(word: string): string[] {
  if (word === "" || word.length > MAX_TEXT) return [];
  const equals = word.indexOf("=");
  const spellings = equals < 0 ? [word] : [word, word.slice(equals + 1)];
  if (/^-[^-]/.test(word)) for (let at = 2; at < word.length; at += 1) spellings.push(word.slice(at));
  // A single slash after a letter is a separator, as in `cut -d/`.
  return spellings.filter(
    (spelling) => spelling !== "" && spelling !== devNull && !(spelling === "/" && spelling !== word),
  );
}

function locateAll(words: readonly string[], base: PathBase): LocatedPath[] {
  return words.map((word, index) => {
    // Most words are not paths. A plain name needs one lookup: only a link leads elsewhere.
    const isName = !/[\\/~]/.test(word) && word !== "." && word !== "..";
    if (!isName && index < MAX_LOOKUPS) return asPath(word, locateWord(word, base));
    const written = `${base.cwd}/${word}`;
    const leadsElsewhere = index < MAX_LOOKUPS && isLink(written);
    return leadsElsewhere
      ? asPath(word, locateWord(word, base))
      : { written, real: `${base.realCwd}/${word}` };
  });
}

/**
 * A missing path may be a pattern, as in `sed -n /x/p`. It still counts as a path if it starts in the home folder, in a parent
 * folder or in an existing folder, or if it goes through a link.
 */
function asPath(word: string, { isMissing, ...path }: LocatedPath): LocatedPath {
  const [, first] = /^\/+([^/]+)/.exec(word) ?? [];
  const isPath = first === undefined ? /^~|^\.\.|\/\.\./.test(word) : !followLinks(`/${first}`).isMissing;
  return isMissing && !isPath && path.real === path.written ? { ...path, isMissing } : path;
}
