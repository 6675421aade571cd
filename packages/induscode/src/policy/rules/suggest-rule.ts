import { QUALIFIER, wireName } from "indusagi/interop";
import { CONTROL_CHARACTER, readShellWords } from "../commands/shell-words.ts";
import type { CallEffect } from "../decide/call-effect.ts";
import { literalGlob } from "./glob.ts";
import { parseRule } from "./rule.ts";

const MAX_PATTERN = 1_000;

/**
 * An allow rule for calls like this one: the same command, the same file, or the server's tool. Undefined if the pattern would be
 * too long to read, or if no rule can name the tool unambiguously among the approved `servers`.
 */
export function suggestRule(
  { tool, command, paths, origin }: CallEffect,
  servers?: readonly string[],
): string | undefined {
  if (origin) return granting(realName(tool, origin), { tool, origin }, servers);
  const [first, second] = paths ?? [];
  const subject = command?.text.trim() ?? (second === undefined ? first?.real : undefined);
  if (subject === undefined) return tool;
  if (subject === "" || subject.length > MAX_PATTERN || CONTROL_CHARACTER.test(subject)) return undefined;
  return `${tool}(${literalGlob(subject)})`;
}

/**
 * Allow rules for calls like this one, narrowest first: exactly this command or file, then commands with the same start, or the
 * whole tool.
 */
export function suggestRules(effect: CallEffect, servers?: readonly string[]): readonly string[] {
  const { tool, command, origin } = effect;
  const exact = suggestRule(effect, servers);
  // In a rule, the star in such an id would match other servers too.
  const isNamed = origin !== undefined && !origin.server.includes("*");
  const ofServer = isNamed ? granting(`${origin.server}${QUALIFIER}*`, { tool, origin }, servers) : undefined;
  const wider = command ? commandPattern(tool, command.text) : origin ? ofServer : tool;
  return [...new Set([exact, wider].filter((rule) => rule !== undefined))];
}

/** The name of a server's tool in a rule: the shown one, unless a row renamed it, possibly to the name of another tool. */
function realName(shown: string, { server, tool: name }: NonNullable<CallEffect["origin"]>): string {
  const ref = { server, name };
  return wireName(ref, shown.length) === shown ? shown : wireName(ref);
}

/** Returns the rule if it allows this tool: an ambiguous server name allows nothing. */
function granting(
  rule: string,
  tool: Pick<CallEffect, "tool" | "origin">,
  servers: readonly string[] | undefined,
): string | undefined {
  return parseRule(rule, "allow").rule?.matchesTool(tool, servers) ? rule : undefined;
}

/**
 * Programs and verbs whose arguments can never name a program to run, a file to write elsewhere or another machine. All others,
 * from `git grep` (`-O PROGRAM`) to `npm run`, are offered only as the exact line.
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
