import { mkdirSync, symlinkSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { POLICY_MODES, type PolicyOptions } from "induscode/policy";
import { expect } from "vitest";
import { BASH, READ, samplePolicy, tool, verdictOf, WRITE } from "../sample-policy.ts";

const on = (options: Partial<PolicyOptions>, ...call: [Parameters<typeof verdictOf>[1], unknown]): string =>
  verdictOf(samplePolicy(options), ...call);

const inside = { path: "src/a.ts" };
const outside = { path: "/etc/hosts" };
const guarded = { path: ".git/config" };

verifies("policy:order", "each step decides before the steps after it", () => {
  const all = { allow: ["*"], ask: ["*"], deny: ["*"] };
  for (const mode of POLICY_MODES) expect(on({ ...all, mode }, WRITE, guarded)).toBe("deny by deny");
  const asking = { allow: ["*"], ask: ["*"] };
  expect(on({ ...asking, mode: "bypass" }, WRITE, guarded)).toBe("ask by protected");
  expect(on({ ...asking, mode: "plan" }, WRITE, outside)).toBe("deny by plan");
  expect(on({ ...asking, mode: "bypass" }, WRITE, outside)).toBe("ask by roots");
  expect(on({ ...asking, mode: "plan" }, READ, outside)).toBe("ask by roots");
  expect(on({ ...asking, mode: "bypass" }, WRITE, inside)).toBe("ask by ask");
  expect(on({ ...asking, mode: "plan" }, READ, inside)).toBe("ask by ask");
  expect(on({ allow: ["*"], mode: "bypass" }, READ, inside)).toBe("allow by bypass");
  expect(on({ allow: ["*"], mode: "acceptEdits" }, READ, inside)).toBe("allow by read-only");
  expect(on({ allow: ["*"], mode: "acceptEdits" }, WRITE, inside)).toBe("allow by acceptEdits");
  expect(on({ allow: ["*"] }, WRITE, inside)).toBe("allow by allow");
  expect(on({}, WRITE, inside)).toBe("ask by mode");
});

verifies(
  "policy:roots",
  "a readable folder outside the roots can be read without a question, and not changed",
  () => {
    const options = { readable: ["/state/results"] };
    const kept = { path: "/state/results/output.txt" };
    expect(on(options, READ, kept)).toBe("allow by read-only");
    expect(on({ ...options, mode: "plan" }, READ, kept)).toBe("allow by read-only");
    expect(on(options, READ, { path: "/state/other" })).toBe("ask by roots");
    expect(on(options, WRITE, kept)).toBe("ask by roots");
    expect(on({ ...options, mode: "plan" }, WRITE, kept)).toBe("deny by plan");
  },
);

verifies(
  "policy:modes",
  "each mode has its answer to a reader, an edit, a command and a tool of a server",
  () => {
    const mounted = tool("gh__create");
    const answers = POLICY_MODES.map((mode) => [
      on({ mode }, READ, inside),
      on({ mode }, WRITE, inside),
      on({ mode }, BASH, { command: "npm test" }),
      on({ mode }, mounted, { title: "x" }),
    ]);
    expect(answers).toEqual([
      ["allow by read-only", "ask by mode", "ask by mode", "ask by mode"],
      ["allow by read-only", "allow by acceptEdits", "ask by mode", "ask by mode"],
      ["allow by read-only", "deny by plan", "deny by plan", "deny by plan"],
      ["allow by bypass", "allow by bypass", "allow by bypass", "allow by bypass"],
    ]);
  },
);

verifies(
  "policy:protected",
  "a change of a protected path asks in bypass and acceptEdits, an approval cannot lift plan mode",
  () => {
    for (const path of [
      ".git/hooks/new",
      ".indusvx/mcp.json",
      "~/.bashrc",
      "~/.config/indusvx/mcp.json",
      "~/.local/state/indusvx/x",
    ]) {
      for (const mode of ["default", "acceptEdits", "bypass"] as const)
        expect(on({ mode, allow: ["write"], roots: "any" }, WRITE, { path }), path).toBe("ask by protected");
      expect(on({ mode: "plan", roots: "any" }, WRITE, { path })).toBe("deny by plan");
      expect(on({ mode: "default", roots: "any" }, READ, { path })).toBe("allow by read-only");
    }
    expect(on({ mode: "bypass", protect: ["secret"] }, WRITE, { path: "secret/x" })).toBe("ask by protected");
  },
);

verifies(
  "policy:protected",
  "a command or a mounted tool that names a protected path asks, unless the command only reads",
  () => {
    const bypass = { mode: "bypass", roots: "any" } as const;
    expect(on(bypass, BASH, { command: "echo x >> ~/.bashrc" })).toBe("ask by protected");
    expect(on(bypass, BASH, { command: "cd .git && rm -r hooks" })).toBe("ask by protected");
    expect(on(bypass, BASH, { command: "cat .git/config" })).toBe("allow by bypass");
    expect(on(bypass, BASH, { command: "npm test" })).toBe("allow by bypass");
    expect(on(bypass, BASH, { command: "touch hooks/x", cwd: ".git" })).toBe("ask by protected");
    expect(on(bypass, tool("process"), { action: "start", command: "rm .git/index" })).toBe(
      "ask by protected",
    );
    expect(on(bypass, tool("fs__write"), { edits: [{ path: "/home/ada/.zshrc" }] })).toBe("ask by protected");
    expect(on(bypass, tool("fs__write"), { path: "src/a.ts" })).toBe("allow by bypass");
  },
);

verifies(
  "policy:protected",
  "a link to a protected path is protected, also if nothing is there yet",
  async () => {
    await using temp = await tempDir();
    mkdirSync(temp.at(".git"));
    symlinkSync(".git", temp.at("link"));
    symlinkSync(temp.at("home/.bashrc"), temp.at("harmless.txt"));
    const options = { cwd: temp.path, mode: "acceptEdits", roots: "any" } as const;
    expect(on(options, WRITE, { path: "link/config" })).toBe("ask by protected");
    expect(on(options, WRITE, { path: "harmless.txt" })).toBe("ask by protected");
    expect(on({ ...options, mode: "bypass" }, BASH, { command: "echo x > harmless.txt" })).toBe(
      "ask by protected",
    );
    expect(on(options, WRITE, { path: "other.txt" })).toBe("allow by acceptEdits");
  },
);

verifies("policy:roots", "a path outside the roots asks in every mode, also through a link", async () => {
  await using temp = await tempDir();
  for (const folder of ["work", "more", "other"]) mkdirSync(temp.at(folder));
  symlinkSync(temp.at("other"), temp.at("work/link"));
  const options = { cwd: temp.at("work"), roots: [temp.at("work"), "../more"] };
  for (const mode of ["default", "acceptEdits", "bypass"] as const) {
    expect(on({ ...options, mode }, WRITE, { path: "link/new" })).toBe("ask by roots");
    expect(on({ ...options, mode }, READ, { path: "../other/x" })).toBe("ask by roots");
    expect(on({ ...options, mode }, READ, { path: "../more/x" })).not.toContain("ask");
  }
  expect(on({ ...options, roots: "any" }, READ, { path: "../other/x" })).toBe("allow by read-only");
  const plan = { ...options, mode: "plan" } as const;
  expect(on(plan, BASH, { command: "cat link/../x; ls" })).toBe("ask by roots");
  expect(on(plan, BASH, { command: "cat ../missing" })).toBe("ask by roots");
  expect(on(plan, BASH, { command: "cat ~/.missing" })).toBe("ask by roots");
  expect(on(plan, BASH, { command: "ls link" })).toBe("ask by roots");
  expect(on(plan, BASH, { command: `cd ..; ls other` })).toBe("ask by roots");
  expect(on(plan, BASH, { command: "ls", cwd: temp.at("other") })).toBe("ask by roots");
  expect(on(plan, BASH, { command: "cat /etc/passwd" })).toBe("ask by roots");
  expect(on(plan, BASH, { command: "sed -n '/alpha/p' a; cut -d/ -f1 a" })).toBe("allow by read-only");
});

verifies("policy:plan", "only calls that change nothing run, bash by its words, and a way out always", () => {
  const plan = { mode: "plan", allow: ["*"] } as const;
  expect(on(plan, READ, inside)).toBe("allow by read-only");
  expect(on(plan, BASH, { command: "git log --oneline | head -3" })).toBe("allow by read-only");
  expect(on(plan, BASH, { command: "git commit -m x" })).toBe("deny by plan");
  expect(on(plan, BASH, {})).toBe("deny by plan");
  expect(on(plan, tool("process"), { action: "start", command: "ls" })).toBe("deny by plan");
  expect(on(plan, tool("memory"), {})).toBe("deny by plan");
  expect(on({ mode: "plan", ask: ["*"], roots: [] }, tool("exit_plan_mode"), { plan: "x" })).toBe(
    "allow by plan",
  );
  expect(on(plan, tool("evil__exit_plan_mode"), {})).toBe("deny by plan");
  const windows = { ...plan, places: { env: { USERPROFILE: "/home/ada" }, platform: "win32" } } as const;
  expect(on(windows, BASH, { command: "ls" })).toBe("deny by plan");
});

verifies(
  "policy:unapproved",
  "a tool that calls itself read-only runs in plan mode only if its server is approved",
  () => {
    const mounted = tool("gh__list", { readOnlyHint: true });
    const isApproved = (server: string): boolean => server === "gh";
    expect(on({ mode: "plan" }, mounted, {})).toBe("deny by plan");
    expect(on({ mode: "default" }, mounted, {})).toBe("ask by mode");
    expect(on({ mode: "plan", isApproved }, mounted, {})).toBe("allow by read-only");
    expect(on({ mode: "plan", isApproved }, tool("other__list", { readOnlyHint: true }), {})).toBe(
      "deny by plan",
    );
  },
);

verifies("policy:modes", "acceptEdits accepts a change without files only if nothing can be lost", () => {
  const answer = (destructive: boolean): string => {
    const effectOf = () => ({ readOnly: false, destructive, paths: [] });
    return on({ mode: "acceptEdits", effectOf }, tool("todo_set"), {});
  };
  expect(answer(false)).toBe("allow by acceptEdits");
  expect(answer(true)).toBe("ask by mode");
});
