import { describeError } from "indusagi/core";
import { parseRule } from "../../policy/index.ts";
import { openJsonFile, versionedJson } from "../../state/index.ts";

/** The allow rules that the user answered "always" with. */
export interface KeptRules {
  /** Unreadable rules are skipped and reported. */
  list(): readonly string[];
  /** Adds a rule. If that fails, reports that the rule lasts for this session only. */
  add(rule: string): void;
}

/** Rules in a file of the state folder, outside the project and readable only by its owner. */
export function openRuleFile(path: string, report: (message: string) => void): KeptRules {
  const file = openJsonFile(path, RULES);
  const read = (): readonly string[] => {
    const reading = file.read();
    if ("problem" in reading) throw new Error(`it ${reading.problem}`);
    return reading.value ?? [];
  };
  return {
    list: () => {
      try {
        return read();
      } catch (thrown) {
        report(`the kept rules in ${path} are not used: ${describeError(thrown)}`);
        return [];
      }
    },
    add: (rule) => {
      try {
        const rules = read();
        if (!rules.includes(rule)) file.write([...rules, rule]);
      } catch (thrown) {
        report(
          `the rule ${rule} lasts for this session only: ${path} cannot be changed: ${describeError(thrown)}`,
        );
      }
    },
  };
}

const RULES = versionedJson<readonly string[]>({
  format: 1,
  parse: ({ allow }) =>
    Array.isArray(allow)
      ? allow.filter((rule): rule is string => parseRule(rule, "allow").rule !== undefined)
      : undefined,
  members: (allow) => ({ allow }),
  indent: 2,
  damage: "is damaged, or of a newer version; remove it",
});
