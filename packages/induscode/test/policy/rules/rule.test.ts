import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { createPolicy, PolicyError, parseRule } from "induscode/policy";
import { expect } from "vitest";
import { anyText } from "../any-text.ts";

const named = (text: string, tool: string, origin?: { server: string; tool: string }): boolean =>
  parseRule(text, "allow").rule?.matchesTool({ tool, ...(origin ? { origin } : {}) }, ["gh__evil"]) ?? false;

verifies("policy:rules", "a name means one tool, and * every tool", () => {
  expect(named("bash", "bash")).toBe(true);
  expect(named("bash", "bashful")).toBe(false);
  expect(named("todo_*", "todo_read")).toBe(true);
  expect(named("*", "x")).toBe(true);
  expect(named("*", "s__x", { server: "s", tool: "x" })).toBe(true);
  // A wildcard for our own tools is not about a server whose id begins like it.
  expect(named("web*", "webfetch")).toBe(true);
  expect(named("web*", "web__fetch", { server: "web", tool: "fetch" })).toBe(false);
});

verifies(
  "policy:rules",
  "server__* means the tools of that server and of no other, also under shortened names",
  () => {
    const list = { tool: "gh_list_0badcafe", origin: { server: "gh", tool: "list" } };
    for (const text of ["gh__*", "gh__list", "*__l*"])
      for (const verdict of ["allow", "deny"] as const)
        expect(parseRule(text, verdict).rule?.matchesTool(list, ["gh", "gh__evil"])).toBe(true);
    expect(named("gh__*", "gh__evil__x_0badcafe", { server: "gh__evil", tool: "x" })).toBe(false);
    expect(named("gh__evil__*", "gh__evil__x_0badcafe", { server: "gh__evil", tool: "x" })).toBe(true);
    expect(named("gh__evil__*", "gh__evil__x", { server: "gh", tool: "evil__x" })).toBe(false);
    expect(named("*__delete*", "gh__delete_all", { server: "gh", tool: "delete_all" })).toBe(true);
    expect(named("gh__list", "gh__list2", { server: "gh", tool: "list2" })).toBe(false);
  },
);

const BAD = [
  "",
  " ",
  "bash(",
  "bash)",
  "(x)",
  "bash(x",
  "a b",
  "bash()",
  "bash( )",
  "bash(x) y",
  "bash(git log:*)",
  "a\u0007",
];

verifies("policy:rule-errors", "a bad rule is refused with one line that names it", () => {
  for (const text of BAD) {
    const { problem, rule } = parseRule(text, "deny");
    expect(rule, text).toBeUndefined();
    expect(problem, text).toContain(JSON.stringify(text));
    expect(problem).not.toContain("\n");
  }
  expect(parseRule("bash(git log:*)", "allow").problem).toContain("write bash(git log *)");
  expect(parseRule(7, "allow").problem).toBe("a rule must be a string, not number");
});

verifies("policy:rule-errors", "a policy names all its bad rules at once, and unknown modes", () => {
  const options = { cwd: "/", effectOf: () => ({ readOnly: false }) };
  const make = () => createPolicy({ ...options, allow: ["bash("], deny: ["ok", "a b"] });
  expect(make).toThrow(PolicyError);
  expect(make).toThrow(/"a b".*"bash\("/);
  expect(() => createPolicy({ ...options, mode: "yolo" as "plan" })).toThrow(
    'there is no mode "yolo"; the modes are default, acceptEdits, plan, bypass',
  );
});

verifies("policy:rule-errors", "any text is either a rule that keeps its text, or a problem", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { rule, problem } = parseRule(text, "ask");
      expect(rule === undefined).toBe(problem !== undefined);
      if (rule) expect(rule.text).toBe(text.trim());
    }),
  );
});
