import { CONTROL_CHARACTER } from "../commands/shell-words.ts";
import { parseToolPattern, type ToolIdentity, type ToolPattern } from "./tool-pattern.ts";

/** What a rule says about the calls that it matches. */
export type RuleVerdict = "allow" | "ask" | "deny";

/** A parsed rule: one or more tools, and optionally a pattern for their calls. */
export interface Rule {
  /** As written. */
  readonly text: string;
  readonly verdict: RuleVerdict;
  /** The name of the only tool, if the rule names one. */
  readonly tool?: string;
  /** The text in the brackets. If absent, the rule is about every call. */
  readonly pattern?: string;
  /** The part before the brackets. */
  readonly tools: ToolPattern;
  /**
   * Whether the rule is about calls of this tool. A `deny` or `ask` rule matches in any reading of its name, an `allow` rule only
   * in the one that counts among these approved servers.
   */
  matchesTool(tool: ToolIdentity, servers?: readonly string[]): boolean;
}

/** A rule, or what is wrong with its text. */
export type ParsedRule =
  | { readonly rule: Rule; readonly problem?: never }
  | { readonly rule?: never; readonly problem: string };

const MAX_RULE = 8_192;
const FORM = /^([^()\s]+)(?:\(([\s\S]*)\))?$/;

/** Parses `tool`, `tool(pattern)` or `server__*`. Never throws; a problem names the rule. */
export function parseRule(text: unknown, verdict: RuleVerdict): ParsedRule {
  if (typeof text !== "string") return { problem: `a rule must be a string, not ${typeof text}` };
  const wrong = (why: string): ParsedRule => ({
    problem: `rule ${JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)}: ${why}`,
  });
  if (text.length > MAX_RULE) return wrong(`it is longer than ${MAX_RULE} characters`);
  if (CONTROL_CHARACTER.test(text)) return wrong("it has a control character");
  const [, name, pattern] = FORM.exec(text.trim()) ?? [];
  if (name === undefined) return wrong("use one of the forms TOOL, TOOL(PATTERN) and SERVER__*");
  if (pattern?.trim() === "") return wrong("the pattern is empty; leave out the brackets to mean every call");
  if (pattern?.endsWith(":*"))
    return wrong(`":*" is not a wildcard; write ${name}(${pattern.slice(0, -2)} *)`);
  const tools = parseToolPattern(name);
  return {
    rule: {
      text: text.trim(),
      verdict,
      tools,
      ...(tools.isOne ? { tool: name } : {}),
      ...(pattern === undefined ? {} : { pattern }),
      matchesTool: (tool, servers) =>
        verdict === "allow" ? tools.grants(tool, servers) : tools.reaches(tool),
    },
  };
}
