import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { decide, POLICY_MODES, type PolicyMode } from "induscode/policy";
import { expect } from "vitest";
import { anyText } from "../any-text.ts";
import { BASH, READ, samplePolicy, tool, WRITE } from "../sample-policy.ts";

const NAMES = ["bash", "write", "read", "gh__list", "exit_plan_mode"];
const PATTERNS = ["", "(*)", "(rm *)", "(src/**)", "(.git/*)", "(ls)", "({*)", "(~/*)"];
const rule = fc.oneof(
  fc
    .tuple(fc.constantFrom(...NAMES, "gh__*", "*", "w*"), fc.constantFrom(...PATTERNS))
    .map((parts) => parts.join("")),
);
const rules = fc.array(rule, { maxLength: 5 });
const mode: fc.Arbitrary<PolicyMode> = fc.constantFrom(...POLICY_MODES);
const descriptor = fc.constantFrom(
  BASH,
  WRITE,
  READ,
  tool("gh__list", { readOnlyHint: true }),
  tool("exit_plan_mode"),
);
const path = fc.oneof(fc.constantFrom("src/a.ts", ".git/config", "/etc/hosts", "~/.bashrc", "link"), anyText);
const command = fc.oneof(
  fc.constantFrom("ls", "rm -rf x", "ls; rm x", "echo $(rm x)", "cat .git/config"),
  anyText,
);
const input = fc.oneof(fc.record({ path }), fc.record({ command }), fc.jsonValue(), fc.constant(undefined));
const setting = fc.record({ mode, allow: rules, ask: rules, deny: rules });

verifies(
  "policy:laws",
  "every call gets one of three answers with a reason, and the same one each time",
  () => {
    fc.assert(
      fc.property(setting, descriptor, input, (options, called, given) => {
        const policy = samplePolicy(options);
        const first = decide(policy.examine(called, given), policy.rules());
        expect(["allow", "ask", "deny"]).toContain(first.verdict);
        expect(first.rule.length).toBeGreaterThan(3);
        expect(decide(policy.examine(called, given), policy.rules())).toEqual(first);
      }),
    );
  },
);

verifies("policy:laws", "a deny rule that matches wins over everything else", () => {
  fc.assert(
    fc.property(setting, descriptor, input, (options, called, given) => {
      const denied = { ...options, deny: [...options.deny, called.name] };
      const policy = samplePolicy(denied);
      expect(decide(policy.examine(called, given), policy.rules())).toMatchObject({
        verdict: "deny",
        by: "deny",
      });
    }),
  );
});

verifies("policy:laws", "more allow rules never refuse, and never let a refused call run", () => {
  fc.assert(
    fc.property(setting, rule, descriptor, input, (options, added, called, given) => {
      const before = samplePolicy(options);
      const after = samplePolicy({ ...options, allow: [...options.allow, added] });
      const [old, now] = [before, after].map((policy) =>
        decide(policy.examine(called, given), policy.rules()),
      );
      if (old?.verdict === "deny") expect(now).toEqual(old);
      if (old?.verdict === "allow") expect(now?.verdict).toBe("allow");
      if (old?.verdict === "ask" && old.by !== "mode") expect(now).toEqual(old);
    }),
  );
});

verifies("policy:laws", "a sandbox only answers what the mode would ask", () => {
  fc.assert(
    fc.property(setting, descriptor, input, (options, called, given) => {
      const policy = samplePolicy(options);
      const effect = policy.examine(called, given);
      const before = decide(effect, policy.rules());
      const within = decide({ ...effect, sandboxed: true }, policy.rules());
      const outside = decide({ ...effect, sandboxed: false }, policy.rules());
      expect(within).toEqual(
        before.by === "mode" ? { verdict: "allow", by: "sandbox", rule: "the sandbox" } : before,
      );
      expect(outside).toMatchObject({ verdict: before.verdict, by: before.by });
    }),
  );
});

verifies("policy:laws", "the order of the rules has no effect on the answer", () => {
  fc.assert(
    fc.property(setting, descriptor, input, (options, called, given) => {
      const reversed = {
        ...options,
        allow: options.allow.toReversed(),
        ask: options.ask.toReversed(),
        deny: options.deny.toReversed(),
      };
      const [one, other] = [options, reversed].map((each) => {
        const policy = samplePolicy(each);
        const { verdict, by } = decide(policy.examine(called, given), policy.rules());
        return { verdict, by };
      });
      expect(one).toEqual(other);
    }),
  );
});
