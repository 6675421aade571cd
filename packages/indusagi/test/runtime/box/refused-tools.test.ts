import { verifies } from "@indus/testkit";
import { createTableBox, joinBoxes, type ToolRefusal, unlistedOutcome, wrapCalls } from "indusagi/runtime";
import { expect } from "vitest";

const refusal: ToolRefusal = {
  message: "it is quarantined",
  fault: { kind: "tool_error", reason: "policy", retrySafe: true },
};

verifies(
  "box:refusals",
  "a tool that is refused and not listed gets its reason, also through joined and wrapped boxes",
  async () => {
    const refusing = createTableBox([], { refusalOf: (name) => (name === "held" ? refusal : undefined) }).box;
    const joined = joinBoxes([createTableBox().box, refusing]);
    const wrapped = wrapCalls(joined, (...call) => joined.runner.run(...call));
    for (const box of [refusing, joined, wrapped]) {
      expect(box.descriptors()).toEqual([]);
      expect(await box.runner.run({ id: "1", name: "held", input: {} })).toMatchObject({
        output: "it is quarantined",
        fault: refusal.fault,
      });
      expect((await box.runner.run({ id: "1", name: "other", input: {} })).fault?.reason).toBe(
        "unknown_tool",
      );
      expect(box.refusalOf?.("held")).toBe(refusal);
    }
    expect(unlistedOutcome({ id: "1", name: "x", input: {} }, undefined).fault?.reason).toBe("unknown_tool");
  },
);
