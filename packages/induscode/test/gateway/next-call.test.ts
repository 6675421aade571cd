import { verifies } from "@indus/testkit";
import {
  answeredOutcome,
  createTableBox,
  type ToolBox,
  type ToolOutcome,
  textResult,
} from "indusagi/runtime";
import { gate } from "induscode/policy";
import { expect } from "vitest";
import { bridgeBoxSource } from "../../src/deck/ledger/index.ts";
import { observedBox } from "../../src/gateway/operations/observed-box.ts";
import { samplePolicy, tool } from "../policy/sample-policy.ts";

const WRITE = tool("s__write");

/** A server's tool behind the layers of a gateway, which are composed once. */
function served(options: Parameters<typeof samplePolicy>[0] = {}) {
  const table = createTableBox(
    [{ descriptor: WRITE, run: async ({ id }) => answeredOutcome(id, textResult("ran")) }],
    {
      refusalOf: () => ({
        message: "write is withheld",
        fault: { kind: "tool_error", reason: "policy", retrySafe: true },
      }),
    },
  );
  const policy = samplePolicy(options);
  let asked = 0;
  const gated = gate(table.box, policy, async ({ suggestedRule }) => {
    asked += 1;
    return { allow: true, ...(suggestedRule === undefined ? {} : { rule: suggestedRule }) };
  });
  const records: string[] = [];
  const box: ToolBox = observedBox(gated, ({ outcome }) => void records.push(outcome));
  return { table, policy, box, records, asked: () => asked, call: callerOf(box) };
}

function callerOf(box: ToolBox): () => Promise<ToolOutcome> {
  return () => box.runner.run({ id: "1", name: "s__write", input: {} });
}

verifies("house:next-call", "a new mode, rule or approval holds for the very next call", async () => {
  const { policy, call, asked, records } = served({ mode: "bypass" });
  expect((await call()).output).toBe("ran");
  policy.setMode("plan");
  expect((await call()).fault).toMatchObject({ reason: "policy" });
  policy.setMode("default");
  expect((await call()).output).toBe("ran");
  expect(asked()).toBe(1);
  // The answer was "always".
  expect((await call()).output).toBe("ran");
  expect(asked()).toBe(1);
  policy.addRule("deny", "s__write");
  expect((await call()).fault).toMatchObject({ reason: "policy" });
  expect(records).toEqual(["ok", "refused", "ok", "ok", "refused"]);
});

verifies(
  "house:next-call",
  "a tool that is withheld, or replaced, is so for the very next call",
  async () => {
    const { table, call } = served({ mode: "bypass" });
    const source = bridgeBoxSource(table.box);
    expect((await call()).output).toBe("ran");
    table.replace([]);
    expect((await call()).output).toBe("write is withheld");
    expect(source.list()).toEqual([]);
    table.replace([{ descriptor: WRITE, run: async ({ id }) => answeredOutcome(id, textResult("again")) }]);
    expect((await call()).output).toBe("again");
  },
);
