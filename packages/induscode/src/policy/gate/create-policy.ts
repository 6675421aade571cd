import { resolve } from "node:path";
import { homeFolder, type PlaceOptions } from "indusagi/config";
import { CoreError, Listeners } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import type { Caller, ToolCall } from "indusagi/runtime";
import type { CallEffect } from "../decide/call-effect.ts";
import { POLICY_MODES, type PolicyMode, type PolicyRules } from "../decide/decide.ts";
import { protectedPaths } from "../paths/protected-paths.ts";
import { realPath } from "../paths/real-path.ts";
import { parseRule, type Rule, type RuleVerdict } from "../rules/rule.ts";
import { createRuleSet } from "../rules/rule-set.ts";
import { type EffectOf, examineCall } from "./examine-call.ts";

/** Why a policy was refused: a rule could not be parsed, or a mode does not exist. */
export type PolicyErrorKind = "bad_rule" | "bad_mode";

/** A policy that cannot be made. The message names each rule. */
export class PolicyError extends CoreError<PolicyErrorKind> {}

export interface PolicyOptions {
  /** The folder of the session. Relative paths and patterns start there. */
  readonly cwd: string;
  readonly effectOf: EffectOf;
  /** Whether to trust the annotations of a server's tools. Default: never. */
  readonly isApproved?: (server: string) => boolean;
  /**
   * The ids of the approved servers, which may change. They decide which server a name such as `notes__sub__*` means in an
   * `allow` rule. Default: unknown, and such a rule allows nothing.
   */
  readonly servers?: () => readonly string[];
  /** Default `default`. */
  readonly mode?: PolicyMode;
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  /** Calls with paths outside these folders ask. Default: the session's folder. `any` turns it off. */
  readonly roots?: readonly string[] | "any";
  /** Folders outside the roots where calls that only read do not ask. */
  readonly readable?: readonly string[];
  /** More protected files and folders. */
  readonly protect?: readonly string[];
  /** The owner of the rule from a caller's "always allow", if several users share the policy. Default: everyone. */
  readonly ownerOf?: (caller: Caller | undefined) => string | undefined;
  /** Where the home folder and our own files are. Default: from this process. */
  readonly places?: Pick<PlaceOptions, "env" | "home" | "platform">;
}

/** The policy of a session. It may change while it is in use. */
export interface Policy {
  readonly mode: PolicyMode;
  setMode(mode: PolicyMode): void;
  /**
   * Adds a rule, for one owner or for all. Throws a `PolicyError` if it cannot be parsed. Does nothing if the rule exists
   * already.
   */
  addRule(verdict: RuleVerdict, text: string, owner?: string): void;
  /** The current rules, for `decide`: the common ones and those of an owner. The same object until the next change. */
  rules(owner?: string): PolicyRules;
  /** The owner whose rules apply to a caller, besides the common ones. */
  ownerOf(caller: Caller | undefined): string | undefined;
  /** The ids of the approved servers, if they are known. */
  readonly servers?: () => readonly string[];
  /** What a call may do, for `decide`. With `call`, its arguments are coerced only once and shared. */
  examine(descriptor: ToolDescriptor, input: unknown, call?: ToolCall): CallEffect;
  /** Calls `listener` after every change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

/** Throws a `PolicyError` that names every rule that cannot be parsed. */
export function createPolicy(options: PolicyOptions): Policy {
  const { effectOf, isApproved = () => false, ownerOf = () => undefined, places = {} } = options;
  const platform = places.platform ?? process.platform;
  const cwd = resolve(options.cwd);
  const home = homeFolder(places);
  const base = { cwd, realCwd: realPath(cwd), home };
  const { servers } = options;
  const patternBase = { ...base, ignoresCase: platform === "win32" || platform === "darwin", servers };
  const listeners = new Listeners();
  let current: PolicyRules = {
    mode: checkedMode(options.mode ?? "default"),
    ruleSet: createRuleSet(parseAll(options), patternBase),
    roots: realRoots(options.roots ?? [cwd], cwd),
    readable: (options.readable ?? []).map((folder) => realPath(resolve(cwd, folder))),
    protectedPaths: protectedPaths(
      (options.protect ?? []).map((path) => resolve(cwd, path)),
      places,
    ),
  };
  const withRules = (base: PolicyRules, added: readonly Rule[]): PolicyRules => ({
    ...base,
    ruleSet: createRuleSet([...base.ruleSet.rules, ...added], patternBase),
  });
  const owned = new OwnedRules(withRules);
  const change = (next: PolicyRules): void => {
    current = next;
    listeners.emit();
  };
  return {
    get mode() {
      return current.mode;
    },
    setMode: (mode) => {
      if (checkedMode(mode) !== current.mode) change({ ...current, mode });
    },
    addRule: (verdict, text, owner) => {
      const rule = checkedRules([text], verdict)[0] as Rule;
      if (owner !== undefined) return owned.add(owner, rule);
      const { rules } = current.ruleSet;
      if (rules.some((known) => known.verdict === verdict && known.text === rule.text)) return;
      change(withRules(current, [rule]));
    },
    rules: (owner) => (owner === undefined ? current : owned.of(owner, current)),
    ownerOf,
    ...(servers && { servers }),
    examine: (descriptor, input, call = { id: "", name: descriptor.name, input }) =>
      examineCall(descriptor, call, { effectOf, isApproved, base, platform }),
    onChange: (listener) => listeners.add(listener),
  };
}

function parseAll(options: Pick<PolicyOptions, RuleVerdict>): Rule[] {
  const problems: string[] = [];
  const rules: Rule[] = [];
  for (const verdict of ["deny", "ask", "allow"] as const) {
    for (const { rule, problem } of (options[verdict] ?? []).map((text) => parseRule(text, verdict))) {
      if (rule) rules.push(rule);
      else problems.push(problem);
    }
  }
  if (problems.length > 0) throw new PolicyError("bad_rule", problems.join("; "));
  return rules;
}

function checkedRules(texts: readonly string[], verdict: RuleVerdict): Rule[] {
  return parseAll({ [verdict]: texts });
}

function checkedMode(mode: PolicyMode): PolicyMode {
  if (POLICY_MODES.includes(mode)) return mode;
  const message = `there is no mode ${JSON.stringify(mode)}; the modes are ${POLICY_MODES.join(", ")}`;
  throw new PolicyError("bad_mode", message);
}

function realRoots(roots: readonly string[] | "any", cwd: string): readonly string[] | "any" {
  return roots === "any" ? roots : roots.map((root) => realPath(resolve(cwd, root)));
}

interface OwnerEntry {
  readonly added: readonly Rule[];
  /** What `made` was made of. */
  readonly base: PolicyRules | undefined;
  readonly made: PolicyRules | undefined;
}

/** How many owners' rules are kept. Beyond that, the least recently used owner is asked again. */
const MAX_OWNERS = 1_000;

/** The rules of each user of a shared policy, in addition to the common ones. */
class OwnedRules {
  readonly #join: (base: PolicyRules, added: readonly Rule[]) => PolicyRules;
  /** A map keeps its order, so the first entry is the oldest. */
  readonly #owners = new Map<string, OwnerEntry>();

  /** `join` adds the rules of an owner to the common ones. */
  constructor(join: (base: PolicyRules, added: readonly Rule[]) => PolicyRules) {
    this.#join = join;
  }

  add(owner: string, rule: Rule): void {
    const { added } = this.#owners.get(owner) ?? { added: [] };
    if (added.some(({ text, verdict }) => text === rule.text && verdict === rule.verdict)) return;
    this.#keep(owner, { added: [...added, rule], base: undefined, made: undefined });
  }

  /** The rules for an owner. The same object as long as nothing changes. */
  of(owner: string, base: PolicyRules): PolicyRules {
    const owned = this.#owners.get(owner);
    if (!owned) return base;
    const made = owned.base === base && owned.made ? owned.made : this.#join(base, owned.added);
    this.#keep(owner, { added: owned.added, base, made });
    return made;
  }

  #keep(owner: string, owned: OwnerEntry): void {
    this.#owners.delete(owner);
    this.#owners.set(owner, owned);
    if (this.#owners.size <= MAX_OWNERS) return;
    for (const oldest of this.#owners.keys()) return void this.#owners.delete(oldest);
  }
}
