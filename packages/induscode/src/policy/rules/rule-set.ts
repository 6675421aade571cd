import { posix } from "node:path";
import { canonicalJson } from "indusagi/core";
import type { CallEffect } from "../decide/call-effect.ts";
import type { LocatedPath } from "../paths/locate.ts";
import { allowsCommand, type CommandPattern, findCommand, parseCommandPattern } from "./command-match.ts";
import { type Glob, literalGlob, matchesGlob, parseGlob } from "./glob.ts";
import type { Rule, RuleVerdict } from "./rule.ts";
import type { ToolIdentity } from "./tool-pattern.ts";

/** Rules indexed for fast search. Their order does not matter. */
export interface RuleSet {
  readonly rules: readonly Rule[];
  /** The rule that denies a call or asks about it: any match counts. */
  find(verdict: "ask" | "deny", effect: CallEffect): Rule | undefined;
  /** The rule that allows a call: all of the call must match. */
  allows(effect: CallEffect): Rule | undefined;
  /** The rule that denies every call of a tool. */
  hides(tool: ToolIdentity): Rule | undefined;
}

/** A rule with its pattern parsed in every way. Which one applies depends on the call. */
interface Row {
  readonly rule: Rule;
  readonly command: CommandPattern;
  readonly path: PathPattern;
  readonly json: Glob;
}

/** What matching depends on besides the call. */
interface RuleSetBase extends PatternBase {
  /** The ids of the approved servers. Absent: they are not known. */
  readonly servers?: (() => readonly string[]) | undefined;
}

export function createRuleSet(rules: readonly Rule[], base: RuleSetBase): RuleSet {
  const tableOf = (verdict: RuleVerdict): Table =>
    new Table(
      rules.filter((rule) => rule.verdict === verdict),
      base,
    );
  const tables = { allow: tableOf("allow"), ask: tableOf("ask"), deny: tableOf("deny") };
  let servers = base.servers?.();
  let known = new Map<string, ToolRules>();
  let last: { readonly identity: ToolIdentity; readonly rules: ToolRules } | undefined;
  /** The rules about a tool. Cached: most calls are of tools that were called before, and one decision asks several times. */
  const rulesFor = (identity: ToolIdentity): ToolRules => {
    const { tool, origin } = identity;
    const now = base.servers?.();
    if (now === servers && last?.identity.tool === tool && last.identity.origin === origin) return last.rules;
    if (now !== servers || known.size > MAX_TOOLS) known = new Map();
    servers = now;
    const key = origin ? `${tool}\0${origin.server}\0${origin.tool}` : tool;
    let found = known.get(key);
    if (!found) {
      found = {
        allow: tables.allow.rulesFor(identity),
        ask: tables.ask.rulesFor(identity),
        deny: tables.deny.rulesFor(identity),
      };
      known.set(key, found);
    }
    last = { identity: { tool, origin }, rules: found };
    return found;
  };
  return {
    rules,
    hides: (tool) => rulesFor(tool).deny.whole,
    find: (verdict, effect) => {
      const { whole, rows } = rulesFor(effect)[verdict];
      return whole ?? (rows.length > 0 ? foundRule(effect, rows) : undefined);
    },
    allows: (effect) => {
      const { whole, rows } = rulesFor(effect).allow;
      return whole ?? (rows.length > 0 ? allowedRule(effect, rows) : undefined);
    },
  };
}

/** The cache is cleared beyond this many tools. */
const MAX_TOOLS = 20_000;

/** The rules of each verdict about one tool. */
type ToolRules = {
  readonly [verdict in RuleVerdict]: {
    /** Applies to every call. */
    readonly whole: Rule | undefined;
    /** Apply to some calls. */
    readonly rows: readonly Row[];
  };
};

/** The rules of one verdict, by tool. Rules about several tools are tested one by one. */
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
    // A server's tool may be shown under another name.
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

  rulesFor(tool: ToolIdentity): ToolRules[RuleVerdict] {
    const servers = this.#base.servers?.();
    const matches = (rule: Rule): boolean => rule.matchesTool(tool, servers);
    const one = this.#whole.get(tool.tool);
    const rows = [...(this.#rows.get(tool.tool) ?? []), ...this.#rowsMany];
    return {
      whole: one && matches(one) ? one : this.#wholeMany.find(matches),
      rows: rows.filter(({ rule }) => matches(rule)),
    };
  }
}

function foundRule(effect: CallEffect, rows: readonly Row[]): Rule | undefined {
  if (effect.command) return findCommand(effect.command.text, rows)?.rule;
  const { paths } = effect;
  if (paths && paths.length > 0)
    return rows.find(({ path }) => paths.some((one) => findsPath(one, path)))?.rule;
  const text = jsonOf(effect.input);
  // Arguments that are not JSON cannot be compared; assume a match, to be safe.
  return rows.find(({ json }) => text === undefined || matchesGlob(text, json))?.rule;
}

function allowedRule(effect: CallEffect, rows: readonly Row[]): Rule | undefined {
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

/** The folders that a path pattern may be relative to. */
interface PatternBase {
  /** The folder of the session, as given and with links followed. */
  readonly cwd: string;
  readonly realCwd: string;
  readonly home?: string | undefined;
  /** The file system ignores case, so refusals do too. */
  readonly ignoresCase?: boolean;
}

/** A pattern for paths. */
interface PathPattern {
  readonly written: Glob;
  readonly real: Glob;
  /** Both in lower case, where the file system ignores case. */
  readonly folded?: readonly Glob[] | undefined;
}

/** Relative patterns start in the session's folder, `~/` in the home folder. A trailing slash means everything below. */
function parsePathPattern(pattern: string, base: PatternBase): PathPattern {
  const whole = pattern.endsWith("/") ? `${pattern}**` : pattern;
  const [written, real] = [base.cwd, base.realCwd].map((cwd) => absolute(whole, cwd, base.home)) as [
    string,
    string,
  ];
  const glob = (text: string): Glob => parseGlob(text, { segments: true });
  return {
    written: glob(written),
    real: glob(real),
    folded: base.ignoresCase ? [glob(written.toLowerCase()), glob(real.toLowerCase())] : undefined,
  };
}

function absolute(pattern: string, cwd: string, home: string | undefined): string {
  if (home !== undefined && pattern.startsWith("~/")) return posix.join(literal(home), pattern.slice(1));
  return /^(?:\/|[A-Za-z]:\/)/.test(pattern) ? posix.normalize(pattern) : posix.join(literal(cwd), pattern);
}

/** A folder as a pattern that matches only it. */
function literal(folder: string): string {
  return literalGlob(slashes(folder));
}

const slashes = (path: string): string => (process.platform === "win32" ? path.replaceAll("\\", "/") : path);

/** For a refusal or question: matches the path as written or the real path. */
function findsPath({ written, real }: LocatedPath, pattern: PathPattern): boolean {
  const [shown, actual] = [slashes(written), slashes(real)];
  if (
    matchesGlob(shown, pattern.written) ||
    matchesGlob(actual, pattern.real) ||
    matchesGlob(actual, pattern.written)
  )
    return true;
  return (pattern.folded ?? []).some((glob) =>
    [shown, actual].some((path) => matchesGlob(path.toLowerCase(), glob)),
  );
}

/** For a permission: matches only the real path. */
function allowsPath({ real }: LocatedPath, pattern: PathPattern): boolean {
  return matchesGlob(slashes(real), pattern.real);
}
