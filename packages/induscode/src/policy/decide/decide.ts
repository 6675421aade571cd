import { isInside } from "indusagi/core";
import { readLine } from "../commands/plain-reader.ts";
import type { LocatedPath } from "../paths/locate.ts";
import { isProtected, type ProtectedPaths } from "../paths/protected-paths.ts";
import type { Rule } from "../rules/rule.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import type { CallEffect, CommandLine } from "./call-effect.ts";

/**
 * How a policy answers when no rule does:
 *
 * - `default`: calls that change nothing run, others ask
 * - `acceptEdits`: like `default`, but file changes inside the roots run too
 * - `plan`: only calls that change nothing run, others are refused
 * - `bypass`: everything runs, except for refusals, protected paths, paths outside the roots, and `ask` rules
 */
export type PolicyMode = "default" | "acceptEdits" | "plan" | "bypass";

export const POLICY_MODES: readonly PolicyMode[] = ["default", "acceptEdits", "plan", "bypass"];

/** Everything that a decision depends on, besides the call. */
export interface PolicyRules {
  readonly mode: PolicyMode;
  readonly ruleSet: RuleSet;
  /** Real folders. A path outside them asks. `any` turns that off. */
  readonly roots: readonly string[] | "any";
  /** Real folders. A call that only reads there does not ask. */
  readonly readable?: readonly string[];
  readonly protectedPaths: ProtectedPaths;
}

/** What decided, in the order in which it is tried. */
export type DecidedBy =
  | "deny"
  | "protected"
  | "plan"
  | "roots"
  | "ask"
  | "bypass"
  | "read-only"
  | "acceptEdits"
  | "allow"
  | "sandbox"
  | "mode";

export interface Decision {
  readonly verdict: "allow" | "ask" | "deny";
  readonly by: DecidedBy;
  /** The rule, mode or path that decided, as a phrase: `the deny rule "bash(rm *)"`. */
  readonly rule: string;
  /** Why, if the phrase does not show it. */
  readonly detail?: string;
}

/** The tool that ends plan mode. Leaving must always be possible. */
const EXIT_PLAN_MODE = "exit_plan_mode";

/** Decides about a call. Pure and total; the order of the rules has no effect. */
export function decide(effect: CallEffect, rules: PolicyRules): Decision {
  const { mode, ruleSet } = rules;
  const denied = ruleSet.find("deny", effect);
  if (denied) return ruled("deny", denied);
  if (effect.tool === EXIT_PLAN_MODE && !effect.origin)
    return { verdict: "allow", by: "plan", rule: "plan mode" };
  // Plan mode refuses before a protected path asks: an approval must not lift the refusal.
  const refused = mode === "plan" ? planRefusal(effect) : undefined;
  if (refused !== undefined) return { verdict: "deny", by: "plan", rule: "plan mode", detail: refused };
  const guarded = protectedPath(effect, rules);
  if (guarded !== undefined)
    return { verdict: "ask", by: "protected", rule: `the protected path ${guarded}` };
  const outside = pathOutside(effect, rules);
  if (outside !== undefined)
    return { verdict: "ask", by: "roots", rule: `the path ${outside} outside the session's folders` };
  const asked = ruleSet.find("ask", effect);
  if (asked) return ruled("ask", asked);
  return byMode(effect, rules);
}

/** Made once per rule, because most calls are decided by one. */
const decisions = new WeakMap<Rule, Decision>();

function ruled(verdict: "allow" | "ask" | "deny", found: Rule): Decision {
  const known = decisions.get(found);
  if (known?.verdict === verdict) return known;
  const rule = `the ${verdict} rule ${JSON.stringify(found.text)}`;
  const decision: Decision = { verdict, by: verdict, rule };
  decisions.set(found, decision);
  return decision;
}

function byMode(effect: CallEffect, { mode, ruleSet }: PolicyRules): Decision {
  if (mode === "bypass") return { verdict: "allow", by: "bypass", rule: "bypass mode" };
  // In plan mode only readers get this far.
  if (effect.readOnly || mode === "plan")
    return { verdict: "allow", by: "read-only", rule: "a call that only reads" };
  if (mode === "acceptEdits" && isEdit(effect))
    return { verdict: "allow", by: "acceptEdits", rule: "acceptEdits mode" };
  const allowed = ruleSet.allows(effect);
  if (allowed) return ruled("allow", allowed);
  if (effect.sandboxed) return { verdict: "allow", by: "sandbox", rule: "the sandbox" };
  const place = effect.sandboxed === false ? " outside the sandbox" : "";
  return { verdict: "ask", by: "mode", rule: `${mode} mode${place}` };
}

/** Why plan mode refuses a call, or `undefined`. */
function planRefusal({ readOnly, command, tool }: CallEffect): string | undefined {
  if (readOnly) return undefined;
  if (!command) return `${tool} may change something`;
  if (!command.isReadable) return "only commands of bash, on systems with a POSIX shell, can be checked";
  return problemOf(command);
}

/**
 * A change of files whose paths are all known, or a non-destructive change of no file, such as a checklist. Commands and mounted
 * tools may change more than they name.
 */
function isEdit({ paths, command, origin, destructive }: CallEffect): boolean {
  if (!paths || command || origin) return false;
  return paths.length > 0 || destructive === false;
}

/** The first protected path that a call may change. Reading is not a change, even by a plain command. */
function protectedPath(effect: CallEffect, { protectedPaths }: PolicyRules): string | undefined {
  if (effect.readOnly) return undefined;
  const isHit = ({ written, real }: LocatedPath): boolean =>
    isProtected(written, protectedPaths) || (real !== written && isProtected(real, protectedPaths));
  const found = effect.paths?.find(isHit) ?? effect.mentions?.find(isHit);
  if (!found || (effect.command && isReader(effect))) return undefined;
  return found.written;
}

/** The first path outside the roots. The paths of a command are known only in plan mode, where every word is. */
function pathOutside(effect: CallEffect, { roots, readable = [], mode }: PolicyRules): string | undefined {
  if (roots === "any") return undefined;
  const usable = effect.readOnly ? [...roots, ...readable] : roots;
  const isOutside = ({ real }: LocatedPath): boolean => !isInside(real, usable);
  const named = effect.paths?.find(isOutside);
  if (named) return named.written;
  const isKnown = mode === "plan" && effect.command !== undefined;
  // A missing path cannot be read: such a word is probably a pattern, as in `sed -n /x/p`.
  const mentioned = isKnown ? effect.mentions?.find((path) => !path.isMissing && isOutside(path)) : undefined;
  return mentioned?.written;
}

function isReader({ command }: CallEffect): boolean {
  return command !== undefined && command.isReadable && problemOf(command) === undefined;
}

function problemOf(command: CommandLine): string | undefined {
  return (command.reading ?? readLine(command.text, command)).problem;
}
