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

/** Programs that run whatever their arguments say: only an exact command of theirs can be allowed. */
const RUNS_ANYTHING =
  /^(?:.*\/)?(?:(?:ba|da|z|k|fi|tc|c)?sh|env|sudo|doas|su|xargs|eval|exec|command|nohup|nice|time|timeout|watch|find|ssh|node|deno|bun|npx|python[\d.]*|perl|ruby|php|lua|awk|sed|docker|make|rm|dd|chmod|chown|curl|wget)$/;

/** `git commit *` for `git commit -m text`. Undefined unless it is one simple command of a program that is safe to widen. */
function commandPattern(tool: string, text: string): string | undefined {
  const { parts, problem } = readShellWords(text.trim());
  const [part, second] = parts;
  if (problem !== undefined || !part || second || part.redirects.length > 0) return undefined;
  const [program, verb] = part.words.slice(0, 2).map((word) => (word.expands ? "$" : word.text));
  if (program === undefined || !/^[\w./-]+$/.test(program) || RUNS_ANYTHING.test(program)) return undefined;
  // The second word of programs such as git and npm decides what they do.
  const start = verb !== undefined && /^[a-z][\w:-]*$/.test(verb) ? `${program} ${verb}` : undefined;
  return start === undefined ? undefined : `${tool}(${literal(start)} *)`;
}

/** A pattern that matches only this text. */
function literal(text: string): string {
  return text.replaceAll(/[\\*?]/g, String.raw`\$&`);
}
