import { verifies } from "@indus/testkit";
import { type Caller, economize } from "indusagi/runtime";
import { gate } from "induscode/policy";
import { expect } from "vitest";
import { READ, sampleBox, samplePolicy, tool } from "../sample-policy.ts";

const caller: Caller = { key: "k", can: {} };

verifies(
  "code:gateway",
  "plan mode refuses a program's call that changes something; an approval stops the program's clock",
  async () => {
    const inner = sampleBox([READ, tool("gh__delete")]);
    const policy = samplePolicy({ mode: "plan" });
    const asked: string[] = [];
    const gated = gate(inner.box, policy, async ({ call }) => {
      asked.push(call.name);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return { allow: true };
    });
    const box = economize(gated, { mode: "code", code: { limits: { totalMs: 2_500 } } });
    const run = async (code: string): Promise<unknown> =>
      (await box.runner.run({ id: "1", name: "run_code", input: { code } }, undefined, caller)).output;
    const both = "await native.read({}); await gh.delete({}); return 'both ran'";
    expect(await run(both)).toMatch(/gh__delete was refused by plan mode[\s\S]*1\. native\.read\(\{\}\): ok/);
    expect({ asked, ran: inner.ran.length }).toEqual({ asked: [], ran: 1 });
    policy.setMode("default");
    expect(await run(both)).toBe("both ran");
    expect(asked).toEqual(["gh__delete"]);
  },
);
