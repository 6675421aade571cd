import type { ToolOrigin } from "indusagi/llm";
import { type Glob, matchesGlob, parseGlob } from "./glob.ts";

/** What a rule says about the calls that it matches. */
export type RuleVerdict = "allow" | "ask" | "deny";

/** A parsed rule: a tool or several, and perhaps a pattern for its calls. */
export interface Rule {
  /** As written. */
  readonly text: string;
  readonly verdict: RuleVerdict;
  /** The name of the only tool, if the rule names one. */
  readonly tool?: string;
  /** What is in the brackets. Without it, the rule is about every call. */
  readonly pattern?: string;
  matchesTool(tool: ToolIdentity): boolean;
}

/** The name and the origin of a tool. */
export interface ToolIdentity {
  readonly tool: string;
  /** Absent for a tool of ours. */
  readonly origin?: ToolOrigin;
}

/** A rule, or what is wrong with its text. */
export type ParsedRule =
  | { readonly rule: Rule; readonly problem?: never }
  | { readonly rule?: never; readonly problem: string };

const MAX_RULE = 8_192;
const FORM = /^([^()\s]+)(?:\(([\s\S]*)\))?$/;
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/;
const SEPARATOR = "__";

/** Parses `tool`, `tool(pattern)` or `server__*`. Never throws: a problem names the rule. */
export function parseRule(text: unknown, verdict: RuleVerdict): ParsedRule {
  if (typeof text !== "string") return { problem: `a rule must be a text, not ${typeof text}` };
  const wrong = (why: string): ParsedRule => ({
    problem: `rule ${JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)}: ${why}`,
  });
  if (text.length > MAX_RULE) return wrong(`it is longer than ${MAX_RULE} characters`);
  if (CONTROL.test(text)) return wrong("it has a control character");
  const [, name, pattern] = FORM.exec(text.trim()) ?? [];
  if (name === undefined) return wrong("use one of the forms TOOL, TOOL(PATTERN) and SERVER__*");
  if (pattern?.trim() === "") return wrong("the pattern is empty; leave out the brackets to mean every call");
  if (pattern?.endsWith(":*"))
    return wrong(`":*" is not a wildcard; write ${name}(${pattern.slice(0, -2)} *)`);
  const isOne = !name.includes("*");
  return {
    rule: {
      text: text.trim(),
      verdict,
      ...(isOne ? { tool: name } : {}),
      ...(pattern === undefined ? {} : { pattern }),
      matchesTool: toolMatcher(name),
    },
  };
}

/**
 * A name with `__` is compared with the server and its tool, because names on the wire may be shortened, and the id of one
 * server may begin like that of another. Other wildcards are about our own tools. `*` alone is about every tool.
 */
function toolMatcher(name: string): Rule["matchesTool"] {
  if (name === "*") return () => true;
  const split = name.lastIndexOf(SEPARATOR);
  if (split < 0) {
    if (!name.includes("*")) return ({ tool }) => tool === name;
    const glob = nameGlob(name);
    return ({ tool, origin }) => origin === undefined && matchesGlob(tool, glob);
  }
  const server = nameGlob(name.slice(0, split));
  const remote = nameGlob(name.slice(split + SEPARATOR.length));
  return ({ tool, origin }) =>
    tool === name ||
    (origin !== undefined && matchesGlob(origin.server, server) && matchesGlob(origin.tool, remote));
}

/** Only `*` is special in a name. */
function nameGlob(name: string): Glob {
  return parseGlob(name.replaceAll(/[\\?]/g, String.raw`\$&`));
}
