import { existsSync, readFileSync } from "node:fs";
import { tempDir, verifies } from "@indus/testkit";
import { createDeckContext, effectOf, provisionDeck } from "induscode/deck";
import { createPolicy, gate, type PolicyOptions } from "induscode/policy";
import { expect } from "vitest";
import { becomesTrue } from "../../../../indusagi/test/core/process-tree/tree-shapes.ts";
import { refusedCards, type Sandbox, sandboxedCards } from "../../../src/policy/sandbox/index.ts";

/** Not a sandbox, but a program that shows that it was used. */
const wrap: Sandbox["wrap"] = async ({ path, args }, access = "write") => ({
  path: "/usr/bin/env",
  args: [`TMPDIR=${access === "write" ? "yes" : access}`, path, ...args],
});
const SANDBOX = { wrap, writable: "/work and /tmp", scratch: "/tmp" };
const only = ["linux", "darwin"] as const;

interface Options extends Partial<PolicyOptions> {
  readonly isStrict?: boolean;
  readonly problem?: string;
  readonly writeProblem?: string;
}

/** The commands of a deck behind a gate, with everything that was asked. */
async function gated({ isStrict = false, problem, writeProblem, ...policyOptions }: Options = {}) {
  const dir = await tempDir();
  const deck = provisionDeck("all", createDeckContext(dir.path));
  const cards = sandboxedCards({ ...SANDBOX, ...(writeProblem && { writeProblem }) }, { isStrict });
  deck.mapCapabilities(problem === undefined ? cards.wrap : refusedCards(problem).wrap);
  const asked: string[] = [];
  const policy = createPolicy({ cwd: dir.path, effectOf, ...policyOptions });
  const box = gate(deck.intoToolBox(), policy, {
    approver: async ({ decision }) => {
      asked.push(decision.rule);
      return { allow: true };
    },
    onPermitted: cards.permit,
  });
  const call = async (name: string, input: object): Promise<string> => {
    const { output } = await box.runner.run({ id: "1", name, input });
    return typeof output === "string" ? output : JSON.stringify(output);
  };
  return {
    asked,
    policy,
    call,
    read: (name: string) => (existsSync(dir.at(name)) ? readFileSync(dir.at(name), "utf8") : ""),
    bash: (command: string, more: object = {}) => call("bash", { command, ...more }),
    tool: (name: string) => box.descriptors().find((each) => each.name === name),
    async [Symbol.asyncDispose]() {
      await deck.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const WHERE = "echo inside=$TMPDIR";

verifies(
  "sandbox:permission",
  "a command runs inside without a question, and outside after one",
  async () => {
    await using test = await gated();
    expect(await test.bash(WHERE)).toContain("inside=yes");
    expect(test.asked).toEqual([]);
    expect(await test.bash(WHERE, { outsideSandbox: true })).toContain("inside=\n");
    expect(await test.bash(WHERE, { outsideSandbox: "true" })).toContain("inside=\n");
    expect(test.asked).toEqual(Array(2).fill("default mode outside the sandbox"));
    for (const name of ["process", "bg-process"]) {
      await test.call(name, { action: "start", command: `printf %s $TMPDIR > ${name}.txt` });
      expect(await becomesTrue(() => test.read(`${name}.txt`) === "yes")).toBe(true);
    }
    expect(await test.call("process", { action: "list" })).toContain("job-1");
    expect(test.asked).toHaveLength(2);
  },
  { only },
);

verifies(
  "sandbox:plan",
  "where no command that may write can be protected, it asks and runs outside, and plan mode still runs inside",
  async () => {
    await using test = await gated({ writeProblem: "a link" });
    expect(await test.bash(WHERE)).toContain("inside=\n");
    expect(test.asked).toEqual(["default mode outside the sandbox"]);
    expect(test.tool("bash")?.description).not.toContain("sandbox");
    await using plan = await gated({ writeProblem: "a link", mode: "plan" });
    expect(await plan.bash("printenv TMPDIR")).toContain("read");
    expect(plan.asked).toEqual([]);
    await using strict = await gated({ writeProblem: "a link", isStrict: true });
    expect(await strict.bash(WHERE)).toContain("inside=yes"); // The sandbox itself refuses it.
    expect(strict.asked).toEqual([]);
  },
  { only },
);

verifies(
  "sandbox:permission",
  "rules, bypass mode and answers let a command run outside; protected paths, ask and deny rules and plan mode stay",
  async () => {
    await using allowed = await gated({ allow: ["bash(echo *)"] });
    expect(await allowed.bash(WHERE)).toContain("inside=\n");
    await using bypass = await gated({ mode: "bypass" });
    expect(await bypass.bash(WHERE)).toContain("inside=\n");
    await using asking = await gated({ ask: ["bash(echo *)"], deny: ["bash(false)"] });
    expect(await asking.bash(WHERE)).toContain("inside=\n");
    expect(await asking.bash("touch .git/config || true")).toContain("exit code 0");
    expect(asking.asked).toEqual([
      'the ask rule "bash(echo *)"',
      expect.stringContaining("the protected path"),
    ]);
    expect(await asking.bash("false")).toContain("was refused by the deny rule");
    await using plan = await gated({ mode: "plan" });
    expect(await plan.bash("touch x")).toContain("was refused by plan mode");
    expect(await plan.bash("touch x", { outsideSandbox: true })).toContain("was refused by plan mode");
    expect(plan.asked).toEqual([]);
  },
  { only },
);

verifies(
  "sandbox:note",
  "a command that fails inside says what it could not do, and how to ask for more",
  async () => {
    await using test = await gated();
    const note = "[sandbox] the command had no network and could write only in /work and /tmp";
    expect(await test.bash("exit 7")).toMatch(/exit code 7[^]*call it again with outsideSandbox: true/);
    expect(await test.bash("exit 7")).toContain(note);
    expect(await test.bash("true")).not.toContain("[sandbox]");
    expect(await test.bash("exit 7", { outsideSandbox: true })).not.toContain("[sandbox]");
    expect(test.tool("bash")?.description).toContain("Commands run in a sandbox: no network");
    expect(test.tool("bash")?.parameters["properties"]).toHaveProperty("outsideSandbox");
    expect(test.tool("read")?.parameters["properties"]).not.toHaveProperty("outsideSandbox");
  },
  { only },
);

verifies(
  "sandbox:setting",
  "on: nothing runs outside, not even what a rule allows, and without a sandbox nothing runs",
  async () => {
    await using strict = await gated({ isStrict: true, mode: "bypass" });
    expect(await strict.bash(WHERE)).toContain("inside=yes");
    expect(await strict.bash(`${WHERE}; exit 1`, { outsideSandbox: true })).toMatch(
      /inside=yes[^]*--sandbox on allows nothing else/,
    );
    expect(strict.tool("bash")?.parameters["properties"]).not.toHaveProperty("outsideSandbox");
    await using refused = await gated({ problem: "there is no sandbox here" });
    expect(await refused.bash("touch x")).toBe("bash was refused: there is no sandbox here");
    expect(await refused.call("process", { action: "start", command: "true" })).toContain(
      "process was refused",
    );
    expect(refused.asked).toEqual([]);
  },
  { only },
);

verifies(
  "sandbox:plan",
  "in plan mode a command only reads, whatever permits it to run outside; the mode counts when it starts",
  async () => {
    await using plan = await gated({ mode: "plan", allow: ["bash(printenv *)"] });
    expect(await plan.bash("printenv TMPDIR")).toContain("read\n");
    expect(await plan.bash("printenv TMPDIR", { outsideSandbox: true })).toContain("read\n");
    expect(plan.asked).toEqual([]);
    // The user approves a place outside the folder, which may be one that the sandbox hides.
    expect(await plan.bash("cat /etc/hostname; printenv TMPDIR")).toContain("read-anywhere\n");
    expect(plan.asked).toEqual([expect.stringContaining("outside the session's folders")]);
    expect(await plan.bash("cat missing")).toContain(
      "[sandbox] in plan mode the command had no network and could write only in /tmp",
    );
    for (const name of ["process", "bg-process"])
      expect(await plan.call(name, { action: "start", command: "sleep 1" })).toContain(
        "refused by plan mode",
      );
    plan.policy.setMode("default");
    expect(await plan.bash("printenv TMPDIR")).not.toContain("read");
    plan.policy.setMode("plan");
    expect(await plan.bash("printenv TMPDIR")).toContain("read\n");
  },
  { only },
);
