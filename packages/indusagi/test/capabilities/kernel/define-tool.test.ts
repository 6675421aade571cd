import { verifies } from "@indus/testkit";
import { defineTool, makeLocalContext, readTool, toolBox, withSignal } from "indusagi/capabilities";
import { textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { callContext } from "../../../src/capabilities/kernel/index.ts";

const OBJECT = { type: "object" } as const;
const session = makeLocalContext(".");
const call = { id: "c1", name: "sample", input: {} };

function sample(run: (input: unknown) => ReturnType<Parameters<typeof defineTool>[0]["run"]>) {
  return defineTool({
    name: "sample",
    description: "A sample.",
    parameters: OBJECT,
    run: (input) => run(input),
  });
}

verifies("kernel:define-tool", "the descriptor is one frozen object with only the given members", () => {
  const plain = sample(() => textResult("x"));
  expect(plain.descriptor()).toEqual({ name: "sample", description: "A sample.", parameters: OBJECT });
  expect(plain.descriptor()).toBe(plain.descriptor());
  expect(Object.isFrozen(plain.descriptor())).toBe(true);
  const rich = defineTool({
    name: "rich",
    description: "Rich.",
    parameters: OBJECT,
    title: "Rich tool",
    annotations: { readOnlyHint: true },
    outputSchema: OBJECT,
    run: () => textResult("x"),
  });
  expect(rich.descriptor()).toMatchObject({
    title: "Rich tool",
    annotations: { readOnlyHint: true },
    outputSchema: OBJECT,
  });
});

verifies("kernel:define-tool", "execute returns the unfolded result of the same run", async () => {
  const tool = sample((input) => textResult(JSON.stringify(input)));
  const ctx = callContext(session, call);
  expect(await tool.execute({ a: 1 }, ctx)).toEqual({ content: [{ kind: "text", text: '{"a":1}' }] });
  expect((await tool.invoke({ ...call, input: '{"a":1}' }, ctx)).output).toBe('{"a":1}');
});

verifies("kernel:throw", "for anything thrown, the result names the tool and the reason", async () => {
  for (const thrown of [
    new Error("disk on fire"),
    "disk on fire",
    Object.assign(new Error("disk on fire"), { code: "EIO" }),
  ]) {
    const sync = sample(() => {
      throw thrown;
    });
    const later = sample(async () => {
      await Promise.resolve();
      throw thrown;
    });
    for (const tool of [sync, later]) {
      const outcome = await tool.invoke(call, callContext(session, call));
      expect(outcome.isError).toBe(true);
      expect(outcome.output).toBe("sample failed: disk on fire");
      expect(outcome.fault).toBeUndefined();
    }
  }
});

verifies("kernel:throw", "a very long error message keeps both ends", async () => {
  const tool = sample(() => {
    throw new Error(`begins ${"é".repeat(100_000)} ends`);
  });
  const { output } = await tool.invoke(call, callContext(session, call));
  expect(output).toMatch(/^sample failed: begins é+ \[\.\.\. \d+ bytes omitted \.\.\.\] é+ ends$/);
  expect(String(output).length).toBeLessThan(900);
});

verifies("kernel:abort-before", "an aborted call is not run", async () => {
  let ran = false;
  const tool = sample(() => {
    ran = true;
    return textResult("ran");
  });
  const outcome = await tool.invoke(call, callContext(session, call, AbortSignal.abort()));
  expect(ran).toBe(false);
  expect(outcome).toMatchObject({
    id: "c1",
    isError: true,
    fault: { kind: "tool_error", reason: "aborted", retrySafe: true },
  });
});

verifies("kernel:abort-during", "the outcome does not wait for a tool that ignores the signal", async () => {
  const abort = new AbortController();
  let fail: (reason: Error) => void = () => {};
  const tool = sample(() => new Promise((_resolve, reject) => (fail = reject)));
  const running = tool.invoke(call, callContext(session, call, abort.signal));
  abort.abort(new Error("changed my mind"));
  expect(await running).toMatchObject({ isError: true, fault: { reason: "aborted", retrySafe: false } });
  fail(new Error("too late to matter"));
  await new Promise((resolve) => setImmediate(resolve));
});

verifies("kernel:unknown-tool", "the outcome names the unknown tool", async () => {
  await using box = toolBox("read-only");
  const outcome = await box.runner.run({ id: "x", name: "nope", input: {} });
  expect(outcome).toMatchObject({
    id: "x",
    isError: true,
    fault: { kind: "tool_error", reason: "unknown_tool", retrySafe: true },
  });
  expect(outcome.output).toBe('there is no tool named "nope"');
});

verifies(
  "kernel:arguments",
  "run gets arguments coerced by the schema, and everything else untouched",
  async () => {
    const seen: unknown[] = [];
    const counter = defineTool({
      name: "counter",
      description: "Counts.",
      parameters: { type: "object", properties: { count: { type: "integer" } } },
      run: (input) => {
        seen.push(input);
        return textResult("counted");
      },
    });
    const untouched = { count: "many", other: "5" };
    for (const input of ['{"count":"5"}', null, untouched, "no json"])
      await counter.invoke({ ...call, input }, callContext(session, call));
    expect(seen).toEqual([{ count: 5 }, {}, untouched, "no json"]);
    expect(seen[2]).toBe(untouched);
  },
);

verifies(
  "kernel:arguments",
  "a native tool refuses arguments that still do not fit, and names the field",
  async () => {
    const tool = readTool();
    const answer = async (input: unknown) =>
      (await tool.invoke({ ...call, input }, callContext(session, call))).output;
    expect(await answer({ path: "a", limit: "many" })).toBe(
      'read: "limit" must be a whole number, got "many"',
    );
    expect(await answer("[1]")).toBe('read: the arguments must be an object, got "[1]"');
  },
);

verifies("kernel:context-identity", "a derived context shares the session's framework object", () => {
  const signal = new AbortController().signal;
  const derived = withSignal(session, signal);
  expect(derived.signal).toBe(signal);
  expect(derived.contextId).toBe(session.contextId);
  expect(derived.framework).toBe(session.framework);
  expect(callContext(derived, call).framework).toBe(session.framework);
});

verifies("kernel:context-identity", "a call ends with its own signal and with the session's signal", () => {
  const sessionAbort = new AbortController();
  const callAbort = new AbortController();
  const context = makeLocalContext(".", { signal: sessionAbort.signal });
  const ctx = callContext(context, call, callAbort.signal);
  expect(ctx.signal.aborted).toBe(false);
  sessionAbort.abort();
  expect(ctx.signal.aborted).toBe(true);
  callAbort.abort();
  expect(callContext(makeLocalContext("."), call, callAbort.signal).signal.aborted).toBe(true);
});

verifies("kernel:context-close", "each registered function runs once, even if one fails", async () => {
  const context = makeLocalContext(".");
  const ended: string[] = [];
  context.framework.onClose?.(async () => void ended.push("a"));
  context.framework.onClose?.(() => Promise.reject(new Error("cannot end")));
  context.framework.onClose?.(async () => void ended.push("b"));
  await context.close();
  await context.close();
  expect(ended).toEqual(["a", "b"]);
});
