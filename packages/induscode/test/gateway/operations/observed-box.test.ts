import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  abortedOutcome,
  answeredOutcome,
  createTableBox,
  failureResult,
  faultOutcome,
  type ToolOutcome,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";
import { observedBox } from "../../../src/gateway/index.ts";
import type { CallRecord } from "../../../src/gateway/operations/audit/index.ts";
import { jsonSize } from "../../../src/gateway/operations/json-size.ts";

const OUTCOMES: { readonly [outcome: string]: (id: string) => ToolOutcome } = {
  ok: (id) => answeredOutcome(id, textResult("fine")),
  error: (id) => answeredOutcome(id, failureResult("not fine")),
  asked: (id) => ({ ...answeredOutcome(id, textResult("")), suspended: { requests: {} } }),
  refused: (id) => faultOutcome(id, "no", { kind: "tool_error", reason: "policy", retrySafe: true }),
  unknown: (id) => faultOutcome(id, "no", { kind: "tool_error", reason: "unknown_tool", retrySafe: true }),
  cancelled: (id) => abortedOutcome(id, "x", true),
  timeout: (id) => faultOutcome(id, "no", { kind: "timeout", retrySafe: false, server: "s" }),
  failed: (id) => faultOutcome(id, "no", { kind: "transport", retrySafe: false, server: "s" }),
};

verifies(
  "audit:record",
  "each way in which a call ends has its outcome, and the outcome is passed on as it is",
  async () => {
    const made: ToolOutcome[] = [];
    const { box } = createTableBox(
      Object.entries(OUTCOMES).map(([name, outcome]) => ({
        descriptor: { name, description: "", parameters: {}, origin: { server: "s", tool: name } },
        run: async ({ id }) => {
          const each = outcome(id);
          made.push(each);
          return each;
        },
      })),
    );
    const records: CallRecord[] = [];
    const observed = observedBox(box, (record) => void records.push(record));
    const caller = {
      key: "session_1",
      principal: "alice#0123456789",
      client: { name: "n".repeat(500), version: "1" },
      can: {},
    };
    for (const name of Object.keys(OUTCOMES)) {
      const call = { id: "1", name, input: { password: "hunter2" } };
      expect(await observed.runner.run(call, undefined, caller)).toBe(made.at(-1));
    }
    expect(records.map(({ outcome }) => outcome)).toEqual(Object.keys(OUTCOMES));
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    expect(records[0]).toMatchObject({
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      id: expect.stringMatching(/^req_/),
      principal: "alice",
      token: "0123456789",
      session: "session_1",
      method: "tools/call",
      server: "s",
      tool: "s__ok",
      argumentBytes: 22,
      pid: process.pid,
    });
    expect(records[0]?.resultBytes).toBeGreaterThan(4);
    expect(JSON.stringify(records)).not.toMatch(/hunter2|password|fine/);
    expect(records[0]?.client?.length).toBeLessThanOrEqual(128);
    await observed.runner.run({ id: "2", name: "x".repeat(5_000), input: null });
    expect(records.at(-1)).toMatchObject({ outcome: "unknown", session: "local" });
    expect(records.at(-1)).not.toHaveProperty("server");
    expect(records.at(-1)?.tool?.length).toBeLessThanOrEqual(128);
  },
);

verifies("audit:record", "sizes are those of JSON for values without escapes", () => {
  const plain = fc
    .jsonValue({ maxDepth: 4 })
    .filter((value) => !/\\|e[+-]|"-?0"/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(plain, (value) => {
      const text = JSON.stringify(value);
      if (!text.includes("-0")) expect(jsonSize(value)).toBe(Buffer.byteLength(text));
    }),
  );
  expect(jsonSize(Array.from({ length: 1e6 }, () => 1))).toBeGreaterThan(10_000);
});
