import { readShellWords, type ShellPart } from "../commands/shell-words.ts";
import { type Glob, matchesGlob, parseGlob } from "./glob.ts";

/** A pattern for command lines. One that ends in ` *` also matches the command without arguments. */
export interface CommandPattern {
  readonly globs: readonly Glob[];
}

export function parseCommandPattern(pattern: string): CommandPattern {
  const bare = /[^\\] \*$/.test(pattern) ? [pattern.slice(0, -2)] : [];
  return { globs: [pattern, ...bare].map((text) => parseGlob(text.trim())) };
}

function matches(text: string, { globs }: CommandPattern): boolean {
  return globs.some((glob) => matchesGlob(text, glob));
}

/**
 * The first pattern that matches for a refusal or question: the whole line, one of its commands, or what looks like one inside
 * brackets and substitutions. Catches mistakes, not every disguise.
 */
export function findCommand<Row extends { readonly command: CommandPattern }>(
  text: string,
  rows: readonly Row[],
): Row | undefined {
  if (rows.length === 0) return undefined;
  const texts = commandTexts(text.trim());
  return rows.find(({ command }) => texts.some((one) => matches(one, command)));
}

/**
 * Allows a command line if each of its commands matches a pattern; returns that of the first. A line with anything beyond simple
 * commands, or that writes to a file, is allowed only by its exact text.
 */
export function allowsCommand<Row extends { readonly command: CommandPattern }>(
  text: string,
  rows: readonly Row[],
): Row | undefined {
  if (rows.length === 0) return undefined;
  const line = text.trim();
  const exact = rows.find(({ command }) =>
    command.globs.some(({ prefix, tokens }) => tokens.length === 0 && prefix === line),
  );
  if (exact) return exact;
  const { parts, problem } = readShellWords(line);
  if (problem !== undefined || !parts.every(isHarmless)) return undefined;
  const found = parts.map((part) => rows.find(({ command }) => matches(part.text, command)));
  return found.every((row) => row !== undefined) ? found[0] : undefined;
}

/** Redirecting to /dev/null or to another stream of the command writes no file. */
function isHarmless({ redirects }: ShellPart): boolean {
  return redirects.every(
    ({ operator, target }) =>
      target.text === "/dev/null" ||
      operator === "<" ||
      (operator.endsWith("&") && /^[\d-]$/.test(target.text)),
  );
}

/** Words that may precede the name of a program. */
const BEFORE = new Set([
  "sudo",
  "command",
  "exec",
  "env",
  "nohup",
  "time",
  "nice",
  "builtin",
  "!",
  "{",
  "then",
  "do",
  "else",
  "if",
  "while",
  "until",
]);
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

function commandTexts(line: string): string[] {
  const { parts, problem } = readShellWords(line);
  const read = parts.flatMap((part) => [part.text, nameFirst(part.words.map(({ text }) => text))]);
  // For one plain command all of these are the same text.
  return [...new Set(problem === undefined ? [line, ...read] : [line, ...read, ...roughParts(line)])];
}

function nameFirst(words: readonly string[]): string {
  const at = words.findIndex((word) => !BEFORE.has(word) && !ASSIGNMENT.test(word));
  return words.slice(Math.max(at, 0)).join(" ");
}

/** For a line that could not be parsed: splits at everything that may start a command. */
function roughParts(line: string): string[] {
  return line
    .split(/[;&|\n(){}`<>]|\$\(/)
    .map((part) =>
      nameFirst(
        part
          .replaceAll(/["'\\]/g, "")
          .trim()
          .split(/\s+/),
      ),
    )
    .filter((part) => part !== "");
}
