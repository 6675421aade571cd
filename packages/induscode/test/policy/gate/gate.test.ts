import { tempDir, verifies } from "@indus/testkit";
import { toolBox } from "indusagi/capabilities";
import { type ToolBoxChange, type ToolOutcome } from "indusagi/runtime";
import { type ApprovalAnswer, type ApprovalQuestion, gate } from "induscode/policy";
import { expect } from "vitest";
import { BASH, READ, sampleBox, samplePolicy, tool, WRITE } from "../sample-policy.ts";

const call = (name: string, input: unknown = {}) => ({ id: "1", name, input });
const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

verifies(
  "policy:hidden",
  "a tool that a rule denies completely is not listed, and refused by that rule when called",
  async () => {
    const inner = sampleBox([READ, WRITE, BASH, tool("gh__list"), tool("gh__delete")]);
    const box = gate(inner.box, samplePolicy({ deny: ["write", "gh__*", "bash(rm *)"] }));
    expect(names(box.descriptors())).toEqual(["read", "bash"]);
    expect(box.descriptors()).toBe(box.descriptors());
    expect(Object.isFrozen(box.descriptors())).toBe(true);
    const outcome = await box.runner.run(call("gh__list"));
    expect(outcome.fault).toEqual({ kind: "tool_error", reason: "policy", retrySafe: true, server: "gh" });
    expect(outcome.output).toBe('gh__list was refused by the deny rule "gh__*"');
    expect(box.refusalOf?.("gh__list")).toEqual({ message: outcome.output, fault: outcome.fault });
    expect(box.refusalOf?.("read")).toBeUndefined();
    expect(inner.ran).toEqual([]);
  },
);

verifies("policy:hidden", "changes of the tools and of the policy are reported, and only real ones", () => {
  const inner = sampleBox([READ, WRITE]);
  const policy = samplePolicy();
  const box = gate(inner.box, policy);
  const seen: { [kind: string]: string[] }[] = [];
  box.onChange(({ added, changed, removed }: ToolBoxChange) =>
    seen.push({ added: names(added), changed: names(changed), removed: names(removed) }),
  );
  policy.setMode("plan");
  policy.addRule("deny", "write(src/**)");
  policy.addRule("allow", "write");
  expect(seen).toEqual([]);
  policy.addRule("deny", "write");
  policy.addRule("deny", "write");
  expect(seen).toEqual([{ added: [], changed: [], removed: ["write"] }]);
  inner.replace(inner.toolsOf([READ, WRITE, tool("ls")]));
  expect(seen[1]?.["added"]).toEqual(["ls"]);
  expect(names(box.descriptors())).toEqual(["read", "ls"]);
});

verifies("policy:refusal", "the message names the rule, mode or path, and what to do", async () => {
  const inner = sampleBox([READ, WRITE, BASH]);
  const policy = samplePolicy({ deny: ["bash(rm *)"], roots: "any" });
  const box = gate(inner.box, policy);
  const output = async (name: string, input: unknown): Promise<unknown> => {
    const outcome = await box.runner.run(call(name, input));
    expect(outcome).toMatchObject({ id: "1", isError: true, fault: { reason: "policy" } });
    return outcome.output;
  };
  expect(await output("bash", { command: "ls; rm x" })).toBe(
    'bash was refused by the deny rule "bash(rm *)"',
  );
  expect(await output("bash", { command: "npm test *" })).toBe(
    'bash was refused: default mode requires an approval, and there is no approver; to allow it, add the allow rule "bash(npm test \\\\*)"',
  );
  expect(await output("write", { path: "src/a.ts" })).toContain(
    'add the allow rule "write(/project/src/a.ts)"',
  );
  expect(await output("write", { path: ".git/x\u001b[2J" })).toBe(
    "write was refused: the protected path /project/.git/x\\x1b[2J requires an approval, and there is no approver",
  );
  policy.setMode("plan");
  expect(await output("bash", { command: "touch x" })).toBe(
    'bash was refused by plan mode: "touch" is not on the list of commands that only read. Only calls that change nothing run in plan mode; exit_plan_mode ends it',
  );
  expect(inner.ran).toEqual([]);
});

verifies(
  "policy:refusal",
  "an effect that cannot be found out refuses the call, and an unlisted tool does not exist",
  async () => {
    const inner = sampleBox([WRITE]);
    const effectOf = (): never => {
      throw new Error("broken card");
    };
    const box = gate(inner.box, samplePolicy({ effectOf, mode: "bypass" }));
    expect((await box.runner.run(call("write"))).output).toContain("broken card");
    expect((await box.runner.run(call("nothing"))).fault?.reason).toBe("unknown_tool");
    expect(inner.ran).toEqual([]);
  },
);

verifies(
  "box:refusals",
  "a gate gives the reason of the inner box for a tool that is not listed",
  async () => {
    const inner = sampleBox([WRITE]);
    const fault = { kind: "tool_error", reason: "policy", retrySafe: true } as const;
    const refusalOf = (name: string) => (name === "held" ? { message: "approve it", fault } : undefined);
    const box = gate({ ...inner.box, refusalOf }, samplePolicy({ mode: "bypass" }));
    expect(await box.runner.run(call("held"))).toMatchObject({ output: "approve it", fault });
    expect(inner.ran).toEqual([]);
    expect(box.refusalOf?.("held")?.message).toBe("approve it");
  },
);

verifies(
  "policy:unchanged",
  "call, signal and caller reach the inner box, and its outcome comes back as the same object",
  async () => {
    const outcome = Object.freeze({
      id: "1",
      output: "x",
      isError: false,
      result: { content: [] },
    }) as ToolOutcome;
    const seen: unknown[] = [];
    const inner = {
      descriptors: () => [WRITE],
      onChange: () => () => {},
      runner: { run: async (...given: unknown[]) => (seen.push(...given), outcome) },
    };
    const sent = call("write");
    const { signal } = new AbortController();
    const caller = { key: "k", can: {} };
    const bypassed = gate(inner, samplePolicy({ mode: "bypass" }));
    expect(await bypassed.runner.run(sent, signal, caller)).toBe(outcome);
    const asked = gate(inner, samplePolicy(), async () => ({ allow: true }));
    expect(await asked.runner.run(sent, signal, caller)).toBe(outcome);
    for (const [index, expected] of [sent, signal, caller, sent, signal, caller].entries())
      expect(seen[index]).toBe(expected);
  },
);

verifies(
  "policy:approval",
  "the approver gets the call, its effect and the rule; yes runs it, no refuses it",
  async () => {
    const inner = sampleBox([WRITE]);
    const asked: ApprovalQuestion[] = [];
    const answers = [{ allow: true }, { allow: false, message: "not now" }] as const;
    const box = gate(inner.box, samplePolicy(), async (question) => {
      asked.push(question);
      return answers[asked.length - 1] ?? { allow: false };
    });
    const sent = call("write", { path: "src/a.ts" });
    const caller = { key: "k", can: {} };
    expect((await box.runner.run(sent, undefined, caller)).output).toBe("write");
    expect(asked[0]).toMatchObject({
      effect: { tool: "write", readOnly: false, paths: [{ real: "/project/src/a.ts" }] },
      decision: { verdict: "ask", by: "mode", rule: "default mode" },
      suggestedRule: "write(/project/src/a.ts)",
    });
    expect(asked[0]?.call).toBe(sent);
    expect(asked[0]?.caller).toBe(caller);
    const refused = await box.runner.run(sent);
    expect(refused.fault?.reason).toBe("policy");
    expect(refused.output).toBe(
      "write was refused by the approver, who was asked because of default mode: not now",
    );
    expect(inner.ran).toEqual(["write"]);
  },
);

verifies(
  "policy:approval",
  "always allow adds a rule; what ranks above allow rules keeps asking",
  async () => {
    const inner = sampleBox([BASH, WRITE]);
    const policy = samplePolicy({ ask: ["write(dist/**)"] });
    const suggested: (string | undefined)[] = [];
    const box = gate(inner.box, policy, async ({ suggestedRule }) => {
      suggested.push(suggestedRule);
      return { allow: true, ...(suggestedRule === undefined ? {} : { rule: suggestedRule }) };
    });
    for (let round = 0; round < 2; round += 1) {
      await box.runner.run(call("bash", { command: "npm run x -- *" }));
      await box.runner.run(call("write", { path: ".git/x" }));
      await box.runner.run(call("write", { path: "/etc/x" }));
      await box.runner.run(call("write", { path: "dist/x" }));
    }
    expect(suggested).toEqual(["bash(npm run x -- \\*)", ...Array.from({ length: 6 }, () => undefined)]);
    expect(policy.rules().ruleSet.rules.map(({ text }) => text)).toContain("bash(npm run x -- \\*)");
    expect(inner.ran).toHaveLength(8);
  },
);

verifies(
  "policy:approval",
  "always allow holds for its owner only, if several users share the policy",
  async () => {
    const inner = sampleBox([WRITE]);
    const policy = samplePolicy({ ownerOf: (caller) => caller?.principal });
    const asked: (string | undefined)[] = [];
    const box = gate(inner.box, policy, async ({ suggestedRule, caller }) => {
      asked.push(caller?.principal);
      return { allow: true, ...(suggestedRule === undefined ? {} : { rule: suggestedRule }) };
    });
    const write = (principal?: string) =>
      box.runner.run(call("write", { path: "a" }), undefined, {
        key: "k",
        can: {},
        ...(principal && { principal }),
      });
    const all = policy.rules();
    for (const principal of ["alice", "alice", "bob", "alice", "bob"]) await write(principal);
    expect(asked).toEqual(["alice", "bob"]);
    expect(policy.rules()).toBe(all);
    expect(policy.rules("alice")).toBe(policy.rules("alice"));
    // A rule for all holds for each owner, and what is denied to all stays denied.
    policy.addRule("deny", "write(a)");
    expect((await write("alice")).fault?.reason).toBe("policy");
    expect(inner.ran).toHaveLength(5);
    for (let at = 0; at < 1_000; at += 1) policy.addRule("allow", "write(b)", `other${at}`);
    expect(policy.rules("alice")).toBe(policy.rules());
  },
);

verifies("policy:approval", "an abort ends the wait at once, and a later answer has no effect", async () => {
  const inner = sampleBox([WRITE]);
  const policy = samplePolicy();
  let answer: (given: ApprovalAnswer) => void = () => {};
  let asked: (signal: AbortSignal) => void = () => {};
  const askedWith = new Promise<AbortSignal>((resolve) => (asked = resolve));
  const box = gate(inner.box, policy, ({ signal }) => {
    asked(signal);
    return new Promise((resolve) => (answer = resolve));
  });
  const abort = new AbortController();
  const running = box.runner.run(call("write"), abort.signal);
  const signal = await askedWith;
  abort.abort();
  const outcome = await running;
  expect(outcome.fault).toMatchObject({ reason: "aborted", retrySafe: true });
  expect(signal.aborted).toBe(true);
  answer({ allow: true, rule: "write" });
  await new Promise(setImmediate);
  expect(inner.ran).toEqual([]);
  expect(policy.rules().ruleSet.rules).toEqual([]);
  expect((await box.runner.run(call("write"), abort.signal)).fault?.reason).toBe("aborted");
});

verifies(
  "policy:approval",
  "a failed approver, a bad rule, and a policy that changed meanwhile refuse the call",
  async () => {
    const inner = sampleBox([WRITE]);
    const failing = gate(inner.box, samplePolicy(), () => Promise.reject(new Error("no terminal")));
    expect((await failing.runner.run(call("write"))).output).toContain("the approver failed: no terminal");
    const throwing = gate(inner.box, samplePolicy(), () => {
      throw new Error("thrown");
    });
    expect((await throwing.runner.run(call("write"))).output).toContain("the approver failed: thrown");
    const misruling = gate(inner.box, samplePolicy(), async () => ({ allow: true, rule: "write(" }));
    expect((await misruling.runner.run(call("write"))).output).toContain('rule "write("');
    const policy = samplePolicy();
    const slow = gate(inner.box, policy, async () => {
      policy.setMode("plan");
      return { allow: true };
    });
    expect((await slow.runner.run(call("write"))).output).toContain("plan mode");
    expect(inner.ran).toEqual([]);
  },
);

verifies(
  "policy:approval",
  "the repetition of an approved call that waited for answers does not ask again, once",
  async () => {
    let asked = 0;
    const suspended = { requests: {}, state: "s1" };
    const inner = {
      descriptors: () => [WRITE],
      onChange: () => () => {},
      runner: {
        run: async (_call: unknown, _signal?: AbortSignal, caller?: { readonly resume?: unknown }) => ({
          id: "1",
          output: "",
          isError: false,
          result: { content: [] },
          ...(caller?.resume ? {} : { suspended }),
        }),
      },
    };
    const box = gate(inner, samplePolicy(), async () => ({ allow: ++asked > 0 }));
    const caller = { key: "k", can: { suspend: true } };
    const resumed = { ...caller, resume: { state: "s1", responses: {} } };
    await box.runner.run(call("write", { path: "a" }), undefined, caller);
    expect(asked).toBe(1);
    await box.runner.run(call("write", { path: "b" }), undefined, resumed);
    expect(asked).toBe(2);
    await box.runner.run(call("write", { path: "a" }), undefined, { ...resumed, key: "other" });
    expect(asked).toBe(3);
    await box.runner.run(call("write", { path: "a" }), undefined, resumed);
    expect(asked).toBe(3);
    await box.runner.run(call("write", { path: "a" }), undefined, resumed);
    expect(asked).toBe(4);
  },
);

verifies(
  "policy:plan",
  "in plan mode the native tools read and the shell lists, and nothing is written until the mode changes",
  async () => {
    await using temp = await tempDir();
    await using native = toolBox("all", temp.path);
    const policy = samplePolicy({ cwd: temp.path, mode: "plan" });
    const box = gate(native, policy);
    const run = (name: string, input: unknown): Promise<ToolOutcome> => box.runner.run(call(name, input));
    expect((await run("write", { path: "a.txt", content: "x" })).fault?.reason).toBe("policy");
    expect((await run("bash", { command: "echo x > a.txt" })).fault?.reason).toBe("policy");
    expect((await run("bash", { command: "ls -a | wc -l" })).output).toContain("2");
    expect((await run("ls", {})).isError).toBe(false);
    policy.setMode("acceptEdits");
    expect((await run("write", { path: "a.txt", content: "x" })).isError).toBe(false);
    expect((await run("read", { path: "a.txt" })).output).toContain("x");
  },
  { only: ["linux", "darwin"] },
);

verifies(
  "policy:refusal",
  "a tool that is withheld while the question about it is open does not run",
  async () => {
    const inner = sampleBox([WRITE]);
    const box = gate(inner.box, samplePolicy(), async () => {
      inner.replace([]);
      return { allow: true };
    });
    expect(await box.runner.run(call("write", { path: "a" }))).toMatchObject({
      isError: true,
      fault: { reason: "unknown_tool" },
    });
    expect(inner.ran).toEqual([]);
  },
);
