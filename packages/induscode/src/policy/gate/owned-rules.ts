import type { PolicyRules } from "../decide/decide.ts";
import type { Rule } from "../rules/rule.ts";

interface Owned {
  readonly added: readonly Rule[];
  /** What `made` was made of. */
  readonly base: PolicyRules | undefined;
  readonly made: PolicyRules | undefined;
}

/** Owners whose rules are kept; beyond it those that were not used for the longest time are asked again. */
const MAX_OWNERS = 1_000;

/** The rules that belong to one of several users of a policy, beside those that hold for all. */
export class OwnedRules {
  readonly #join: (base: PolicyRules, added: readonly Rule[]) => PolicyRules;
  /** A map keeps its order, so the first entry is the oldest. */
  readonly #owners = new Map<string, Owned>();

  /** `join` makes the rules of an owner. */
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

  #keep(owner: string, owned: Owned): void {
    this.#owners.delete(owner);
    this.#owners.set(owner, owned);
    if (this.#owners.size <= MAX_OWNERS) return;
    for (const oldest of this.#owners.keys()) return void this.#owners.delete(oldest);
  }
}
