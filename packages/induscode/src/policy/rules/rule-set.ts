import { canonicalJson } from "indusagi/core";
import type { CallEffect } from "../decide/call-effect.ts";
import { allowsCommand, type CommandPattern, findCommand, parseCommandPattern } from "./command-match.ts";
import { type Glob, matchesGlob, parseGlob } from "./glob.ts";
import { allowsPath, findsPath, type PathPattern, type PatternBase, parsePathPattern } from "./path-match.ts";
import type { Rule, RuleVerdict } from "./rule.ts";
import type { ToolIdentity } from "./tool-pattern.ts";

/** Rules in a form that is fast to search. Their order does not matter. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  /** The rule that refuses a call or asks about it: any match counts. */
  find(verdict: "ask" | "deny", effect: CallEffect): Rule | undefined;
  /** The rule that allows a call: all of the call must match. */
  allows(effect: CallEffect): Rule | undefined;
  /** The rule that refuses every call of a tool. */
  hides(tool: ToolIdentity): Rule | undefined;
}

/** A rule with its pattern in all readings. Which one counts depends on the call. */
interface Row {
  readonly rule: Rule;
  readonly command: CommandPattern;
  readonly path: PathPattern;
  readonly json: Glob;
}

/** What the rules are compared with, besides the call. */
export interface RuleSetBase extends PatternBase {
  /** The ids of the approved servers. Absent: they are not known. */
  readonly servers?: () => readonly string[];
}

export function createRuleSet(rules: readonly Rule[], base: RuleSetBase): RuleSet {
  const tables = new Map<RuleVerdict, Table>();
  for (const verdict of ["allow", "ask", "deny"] as const)
    tables.set(
      verdict,
      new Table(
        rules.filter((rule) => rule.verdict === verdict),
        base,
      ),
    );
  const table = (verdict: RuleVerdict): Table => tables.get(verdict) as Table;
  return {
    rules,
    hides: (tool) => table("deny").wholeTool(tool),
    find: (verdict, effect) =>
      table(verdict).wholeTool(effect) ?? foundRule(effect, table(verdict).rowsFor(effect)),
    allows: (effect) =>
      table("allow").wholeTool(effect) ?? allowedRule(effect, table("allow").rowsFor(effect)),
  };
}

/** The rules of one verdict, by tool. Rules about several tools are compared one by one. */
class Table {
  readonly #base: RuleSetBase;
  readonly #whole = new Map<string, Rule>();
  readonly #wholeMany: Rule[] = [];
  readonly #rows = new Map<string, Row[]>();
  readonly #rowsMany: Row[] = [];

  constructor(rules: readonly Rule[], base: RuleSetBase) {
    this.#base = base;
    for (const rule of rules) this.#add(rule);
  }

  #add(rule: Rule): void {
    const { tool, pattern } = rule;
    // The tool of a server may be shown under another name.
    const isOne = tool !== undefined && !tool.includes("_");
    if (pattern === undefined) {
      if (isOne) this.#whole.set(tool, rule);
      else this.#wholeMany.push(rule);
      return;
    }
    const row: Row = {
      rule,
      command: parseCommandPattern(pattern),
      path: parsePathPattern(pattern, this.#base),
      json: parseGlob(pattern),
    };
    if (!isOne) this.#rowsMany.push(row);
    else if (!this.#rows.get(tool)?.push(row)) this.#rows.set(tool, [row]);
  }

  wholeTool(tool: ToolIdentity): Rule | undefined {
    const one = this.#whole.get(tool.tool);
    return one && this.#matches(one, tool) ? one : this.#wholeMany.find((rule) => this.#matches(rule, tool));
  }

  rowsFor(tool: ToolIdentity): readonly Row[] {
    const isMeant = ({ rule }: Row): boolean => this.#matches(rule, tool);
    const own = (this.#rows.get(tool.tool) ?? []).filter(isMeant);
    const many = this.#rowsMany.filter(isMeant);
    return many.length === 0 ? own : [...own, ...many];
  }

  #matches(rule: Rule, tool: ToolIdentity): boolean {
    return rule.matchesTool(tool, this.#base.servers?.());
  }
}

function foundRule(effect: CallEffect, rows: readonly Row[]): Rule | undefined {
  if (rows.length === 0) return undefined;
  if (effect.command) return findCommand(effect.command.text, rows)?.rule;
  const { paths } = effect;
  if (paths && paths.length > 0)
    return rows.find(({ path }) => paths.some((one) => findsPath(one, path)))?.rule;
  const text = jsonOf(effect.input);
  // Arguments that are not JSON cannot be compared; the careful answer is a match.
  return rows.find(({ json }) => text === undefined || matchesGlob(text, json))?.rule;
}

function allowedRule(effect: CallEffect, rows: readonly Row[]): Rule | undefined {
  if (rows.length === 0) return undefined;
  if (effect.command) return allowsCommand(effect.command.text, rows)?.rule;
  const { paths } = effect;
  if (paths && paths.length > 0) {
    const found = paths.map((one) => rows.find(({ path }) => allowsPath(one, path)));
    return found.every((row) => row !== undefined) ? found[0]?.rule : undefined;
  }
  const text = jsonOf(effect.input);
  return text === undefined ? undefined : rows.find(({ json }) => matchesGlob(text, json))?.rule;
}

function jsonOf(input: unknown): string | undefined {
  try {
    return canonicalJson(input ?? {});
  } catch {
    return undefined;
  }
}
