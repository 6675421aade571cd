import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { isInside } from "indusagi/core";
import { realPath } from "../paths/real-path.ts";
import { matchesGlob, parseGlob } from "../rules/glob.ts";
import { isFolder, readerOf } from "./readers.ts";
import { repositoryProblem, topOf, type Where } from "./repository.ts";
import { readShellWords, type ShellPart, type ShellWord } from "./shell-words.ts";

/** Where a command line runs. */
export interface CommandPlace {
  /** The folder of the session. A command must not leave it through a glob or a link. */
  readonly session: string;
  /** The folder that the command starts in. */
  readonly cwd: string;
}

/** What is known about a command line that may only read. */
export interface LineReading {
  /** Why it may do more than read. */
  readonly problem?: string;
  /** The work tree whose git it runs. Absent if it runs no git. */
  readonly gitTop?: string;
}

/** Each word is looked up on the disk. */
const MAX_WORDS = 200;
const MAX_WORD = 2_000;
const HERE: CommandPlace = { session: "/", cwd: "/" };
const BRACKETS: ReadonlyMap<string, string> = new Map([
  ["[", "]"],
  ["[[", "]]"],
]);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[.*\])?\+?=/;

/**
 * Why a command line may do more than read, or `undefined` if every word of it, in every folder that it can run in, is known to
 * only read. Everything unknown is a problem. A path that a command names plainly may be outside the session's folder: the
 * caller asks about it.
 */
export function readerProblem(command: string, place: CommandPlace = HERE): string | undefined {
  return readLine(command, place).problem;
}

/** Reads a command line. It may join simple commands with `;`, `&&`, `||`, `|` and line ends. */
export function readLine(command: string, place: CommandPlace): LineReading {
  const { parts, problem } = readShellWords(command);
  if (problem !== undefined) return { problem: `it has ${problem}` };
  const words = parts.flatMap((part) => [...part.words, ...part.redirects.map(({ target }) => target)]);
  if (words.length > MAX_WORDS) return { problem: `it has more than ${MAX_WORDS} words` };
  if (words.some(({ text }) => text.length > MAX_WORD))
    return { problem: `it has a word of more than ${MAX_WORD} characters` };
  const session = realPath(resolve(place.session));
  const tops = new Set<string>();
  const folders = foldersOf(parts, realPath(resolve(place.cwd)), folderAfter);
  for (const [index, part] of parts.entries()) {
    const where: Where = { session, folders: folders[index] ?? [] };
    const found = partProblem(part, where);
    if (found !== undefined) return { problem: found };
    if (part.words[0]?.text === "git") for (const folder of where.folders) tops.add(topOf(folder, session));
  }
  const [gitTop, ...others] = tops;
  if (others.length > 0) return { problem: "git: it may run in more than one repository" };
  if (gitTop === undefined) return {};
  const elsewhere = repositoryProblem(gitTop, session);
  return elsewhere === undefined ? { gitTop } : { problem: `git: ${elsewhere}` };
}

/**
 * The folders that each command of a line may run in, as `cd` succeeds or fails. A `cd` in a pipeline affects a subshell in most
 * shells and the line in some, so both count.
 */
export function foldersOf(
  parts: readonly ShellPart[],
  start: string,
  after: (folder: string, part: ShellPart) => string | undefined,
): readonly (readonly string[])[] {
  const all: (readonly string[])[] = [];
  /** The folders after the last pipeline, if it succeeded and if it failed. */
  let good: ReadonlySet<string> = new Set([start]);
  let bad: ReadonlySet<string> = new Set();
  for (let index = 0; index < parts.length; ) {
    const { joint } = parts[index] as ShellPart;
    const before = joint === "&&" ? good : joint === "||" ? bad : union(good, bad);
    const first = index;
    do all.push([...before]);
    while (parts[++index]?.joint === "|");
    const last = parts[index - 1] as ShellPart;
    const changed = [...before].map((folder) => after(folder, last)).filter((folder) => folder !== undefined);
    const isCd = last.words[0]?.text === "cd";
    const moved = isCd && index - first === 1 ? new Set(changed) : union(before, changed);
    good = joint === "||" ? union(good, moved) : moved;
    bad = joint === "&&" ? union(bad, before) : before;
  }
  return all;
}

function union(a: Iterable<string>, b: Iterable<string>): ReadonlySet<string> {
  return new Set([...a, ...b]);
}

/** The folder after a `cd` that succeeds. */
function folderAfter(folder: string, { words: [name, target] }: ShellPart): string | undefined {
  return name?.text === "cd" ? resolve(folder, target?.text ?? ".") : undefined;
}

function partProblem({ words, redirects }: ShellPart, where: Where): string | undefined {
  const [name, ...rest] = words;
  if (!name) return "it has a redirection without a command";
  for (const { operator, target } of redirects) {
    const found = redirectProblem(operator, target, where);
    if (found !== undefined) return found;
  }
  // A lone bracket is the other name of `test`, not a glob.
  const isTest = BRACKETS.has(name.text) && BRACKETS.get(name.text) === rest.at(-1)?.text;
  for (const word of isTest ? rest.slice(0, -1) : words) {
    const found = wordProblem(word, where);
    if (found !== undefined) return found;
  }
  if (name.globAt !== undefined && !isTest) return "the name of a command is a glob";
  if (ASSIGNMENT.test(name.text)) return "it has an assignment";
  const check = readerOf(name.text);
  if (!check) return `${JSON.stringify(name.text)} is not on the list of commands that only read`;
  const found = check(rest, where);
  return found === undefined ? undefined : `${name.text}: ${found}`;
}

/** Allows input from a file, output to /dev/null, and one stream into another. */
function redirectProblem(operator: string, target: ShellWord, where: Where): string | undefined {
  const isCopy = /^[<>]&$/.test(operator) && /^[012]$/.test(target.text);
  const isDropped = /^(?:>|>>|&>|>&)$/.test(operator) && target.text === "/dev/null";
  if (isCopy || isDropped) return undefined;
  // The shell opens some names below /dev as connections.
  if (operator !== "<" || target.globAt !== undefined || /^\/(?:dev|proc)\//.test(target.text))
    return "it has a redirection other than < FILE, > /dev/null and 2>&1";
  return wordProblem(target, where);
}

function wordProblem(word: ShellWord, where: Where): string | undefined {
  const { text, expands, globAt, isTilde } = word;
  if (expands) return `${JSON.stringify(text)} has a variable or a brace expression`;
  if (isTilde && !/^~(?:$|\/)/.test(text)) return `${JSON.stringify(text)} is another user's home folder`;
  if (globAt === undefined) return undefined;
  if (isTilde) return `${JSON.stringify(text)} is a glob outside the session's folder`;
  for (const folder of where.folders) {
    const found = globProblem(word, folder, where.session);
    if (found !== undefined) return `${JSON.stringify(text)} ${found}`;
  }
  return undefined;
}

const MAX_NAMES = 10_000;

/**
 * Why a glob may expand to something other than files in the session's folder. Expands it on disk; a part with brackets counts
 * as matching every name.
 */
function globProblem({ text, globAt = 0 }: ShellWord, folder: string, session: string): string | undefined {
  if (text.startsWith("-")) return "may be an option; quote it";
  let found = [text.startsWith("/") ? "/" : folder];
  let seen = 0;
  let position = 0;
  for (const part of text.split("/")) {
    const isFirst = position === 0;
    const isLast = position + part.length === text.length;
    const isGlob = position + part.length > globAt && /[*?[]/.test(part);
    position += part.length + 1;
    if (part === "") continue;
    if (!isGlob) {
      // Not `join`: behind a link, `..` is the folder above its target.
      found = found.map((path) => `${path}/${part}`);
      continue;
    }
    const matches = matcherOf(part);
    if (matches("..")) return "may expand to the parent folder";
    const next: string[] = [];
    for (const path of found) {
      if (!isInside(realPath(path), [session])) return "looks outside the session's folder";
      const all = namesIn(path);
      if (all.some((name) => name.includes("\uFFFD"))) return "would match against names that are not UTF-8";
      const names = all.filter((name) => matches(name) && (isLast || isFolder(`${path}/${name}`)));
      // Some programs also have options that begin with a plus sign.
      if (isFirst && names.some((name) => /^[-+]/.test(name)))
        return "could expand to an option; write ./ before it, or quote it";
      seen += names.length;
      if (seen > MAX_NAMES) return `expands to more than ${MAX_NAMES} names`;
      next.push(...names.map((name) => `${path}/${name}`));
    }
    found = next;
  }
  const outside = found.find((path) => !isInside(realPath(path), [session]));
  return outside === undefined
    ? undefined
    : `expands to ${outside}, which leads outside the session's folder`;
}

/**
 * Whether a glob may match a name. Names that start with a dot match only patterns that do. How many characters a non-ASCII
 * name has depends on the locale, so `?` matches any such name.
 */
function matcherOf(part: string): (name: string) => boolean {
  const isDotted = part.startsWith(".");
  const glob = parseGlob(part.replaceAll("\\", "\\\\"));
  return (name) => {
    if (name.startsWith(".") && !isDotted) return false;
    if (part.includes("[") || (part.includes("?") && /[^\0-\x7f]/.test(name))) return true;
    return matchesGlob(name, glob);
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Missing or unreadable: the shell finds nothing there either.
  }
}
