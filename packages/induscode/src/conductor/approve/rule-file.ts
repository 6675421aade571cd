import { describeError, readPrivateText, replaceFileSync } from "indusagi/core";
import { parseRule } from "../../policy/index.ts";

/** The allow rules that the user answered "always" with. */
export interface KeptRules {
  /** Rules that cannot be read are left out, and reported. */
  list(): readonly string[];
  /** Adds a rule. A failure is reported: the rule then counts for this session only. */
  add(rule: string): void;
}

const FORMAT = 1;

/** Rules in a file of the state folder, outside the project, which only the owner can read. */
export function openRuleFile(path: string, report: (message: string) => void): KeptRules {
  const read = (): readonly string[] => {
    const reading = readPrivateText(path);
    if ("problem" in reading) {
      if (!reading.isAbsent) throw new Error(`it ${reading.problem}`);
      return [];
    }
    return parseRules(reading.text);
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
        if (rules.includes(rule)) return;
        const text = `${JSON.stringify({ format: FORMAT, allow: [...rules, rule] }, undefined, 2)}\n`;
        replaceFileSync({ path, content: Buffer.from(text), mode: 0o600 });
      } catch (thrown) {
        report(
          `the rule ${rule} counts for this session only, because ${path} cannot be changed: ${describeError(thrown)}`,
        );
      }
    },
  };
}

function parseRules(text: string): readonly string[] {
  const { format, allow } = JSON.parse(text) as { readonly format?: unknown; readonly allow?: unknown };
  if (format !== FORMAT || !Array.isArray(allow))
    throw new Error("it is damaged, or of a newer version; remove it");
  return allow.filter((rule): rule is string => parseRule(rule, "allow").rule !== undefined);
}
