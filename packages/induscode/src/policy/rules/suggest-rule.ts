import { readShellWords } from "../commands/shell-words.ts";
import type { CallEffect } from "../decide/call-effect.ts";

const MAX_PATTERN = 1_000;

/**
 * An allow rule for calls like this one: the same command, the same file, or the tool of a server. Undefined if the pattern
 * would be too long to read.
 */
export function suggestRule({ tool, command, paths, origin }: CallEffect): string | undefined {
  if (origin) return tool;
  const [first, second] = paths ?? [];
  const subject = command?.text.trim() ?? (second === undefined ? first?.real : undefined);
  if (subject === undefined) return tool;
  if (subject === "" || subject.length > MAX_PATTERN || /[\0-\x08\x0b-\x1f\x7f]/.test(subject))
    return undefined;
  return `${tool}(${literal(subject)})`;
}

/**
 * Allow rules for calls like this one, the narrowest first: exactly this command or file, then commands with the same
 * beginning or the whole tool.
 */
export function suggestRules(effect: CallEffect): readonly string[] {
  const { tool, command, origin } = effect;
  const exact = suggestRule(effect);
  const wider = command ? commandPattern(tool, command.text) : origin ? `${origin.server}__*` : tool;
  return [...new Set([exact, wider].filter((rule) => rule !== undefined))];
}

/**
 * Programs and verbs of which no argument can name another program to run, a file to write elsewhere or another machine. All
 * others, from `git grep` (`-O PROGRAM`) to `npm run`, are offered only as the exact line.
 */
const WIDENED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["git", new Set(["add", "commit", "mv", "restore", "rm", "stash", "status", "switch"])],
]);

/** `git commit *` for `git commit -m text`. Undefined unless it is one simple command of a program that is safe to widen. */
function commandPattern(tool: string, text: string): string | undefined {
  const { parts, problem } = readShellWords(text.trim());
  const [part, second] = parts;
  if (problem !== undefined || !part || second || part.redirects.length > 0) return undefined;
  const [program, verb] = part.words.slice(0, 2).map((word) => (word.expands ? "$" : word.text));
  if (program === undefined || verb === undefined || !WIDENED.get(program)?.has(verb)) return undefined;
  return `${tool}(${program} ${verb} *)`;
}

/** A pattern that matches only this text. */
function literal(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}
