import { verifies } from "@indus/testkit";
import {
  answeredOutcome,
  type ToolCall,
  type ToolOutcome,
  type ToolRunner,
  textResult,
} from "indusagi/runtime";
import { BridgeCapability, bridgeBoxToCapabilities } from "induscode/deck";
import { expect } from "vitest";
import { echoRunner, sampleCapability, sampleDescriptor } from "./sample-tools.ts";

verifies(
  "ledger:capability",
  "each descriptor of a box becomes a capability that calls through the runner of the box",
  async () => {
    const descriptors = [sampleDescriptor("fs", "read"), sampleDescriptor("git", "log")];
    const box = { descriptors: () => descriptors, runner: echoRunner, onChange: () => () => {} };
    const [read, log] = bridgeBoxToCapabilities(box);
    expect(read).toMatchObject({
      name: "fs__read",
      label: "fs__read",
      description: "does read",
      readOnly: false,
    });
    expect(read?.parameters).toEqual({ type: "object" });
    expect(await log?.run({ a: 1 })).toEqual(textResult('git__log {"a":1}'));
  },
);

verifies(
  "ledger:capability",
  "the caller's id, signal and meta reach the runner, and its result is returned complete",
  async () => {
    const heard: unknown[] = [];
    const result = { ...textResult("x"), structured: { n: 1 }, meta: { m: 2 } };
    const runner: ToolRunner = {
      run: async (call, signal, caller) => {
        heard.push(call, signal, caller);
        return answeredOutcome(call.id, result);
      },
    };
    const capability = new BridgeCapability(sampleDescriptor("fs", "read"), runner);
    const { signal } = new AbortController();
    const call: ToolCall = { id: "c1", name: "other", input: {}, meta: { k: 1 } };
    expect(await capability.run({ a: 1 }, { call, signal })).toBe(result);
    expect(heard).toEqual([
      { id: "c1", name: "fs__read", input: { a: 1 }, meta: { k: 1 } },
      signal,
      undefined,
    ]);
    await capability.run({});
    expect(heard[3]).toEqual({ id: "bridge_fs__read", name: "fs__read", input: {} });
  },
);

verifies("ledger:capability", "an outcome without a result is returned as text", async () => {
  const answer = async (output: unknown, isError: boolean) => {
    const run = async (): Promise<ToolOutcome> => ({ id: "1", output, isError }) as unknown as ToolOutcome;
    return new BridgeCapability(sampleDescriptor("fs", "read"), { run }).run({});
  };
  expect(await answer("as is", false)).toEqual(textResult("as is"));
  expect(await answer({ a: [1] }, false)).toEqual(textResult('{\n  "a": [\n    1\n  ]\n}'));
  expect(await answer(null, false)).toEqual(textResult(""));
  expect(await answer("bad", true)).toEqual({ ...textResult("bad"), isError: true });
});

verifies("ledger:capability", "an outcome is passed on as the same object", async () => {
  const outcome = answeredOutcome("c", textResult("x"));
  const capability = new BridgeCapability(sampleCapability("a", "b").descriptor, {
    run: async () => outcome,
  });
  expect(await capability.invoke({ id: "c", name: "a__b", input: {} })).toBe(outcome);
});
