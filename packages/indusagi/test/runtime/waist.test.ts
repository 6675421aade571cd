import { verifies } from "@indus/testkit";
import {
  type DefinedTool,
  defineTool,
  makeLocalContext,
  type ToolContext,
  ToolRegistry,
} from "indusagi/capabilities";
import {
  answeredOutcome,
  type Caller,
  faultOutcome,
  foldContent,
  type LogEntry,
  mcpBlock,
  type ProgressNote,
  type ToolBox,
  type ToolBoxChange,
  type ToolOutcome,
  textResult,
} from "indusagi/runtime";
import { expect } from "vitest";

const OBJECT = { type: "object" } as const;
const greet = defineTool({
  name: "greet",
  description: "Greets.",
  parameters: OBJECT,
  run: (input) => textResult(`hello ${(input as { name?: string }).name ?? "you"}`),
});

function boxOf(...tools: DefinedTool[]): ToolBox {
  const session = makeLocalContext(".");
  return new ToolRegistry().registerAll(tools).toToolBox(() => session);
}

/** A mounted tool returns a whole outcome; no layer may lose a part of it. */
function mounted(name: string, invoke: (ctx: ToolContext) => Promise<ToolOutcome>): DefinedTool {
  const shell = defineTool({
    name,
    description: `Mounted ${name}.`,
    parameters: OBJECT,
    run: () => textResult(""),
  });
  return { ...shell, invoke: (_call, ctx) => invoke(ctx) };
}

const noAbilities = { key: "session-1", can: {} } satisfies Caller;

verifies("waist:two-tools", "two tools are listed once and each answers under its own name", async () => {
  const count = defineTool({
    name: "count",
    description: "Counts.",
    parameters: OBJECT,
    run: () => ({ content: [{ kind: "json", value: 2 }] }),
  });
  const box = boxOf(greet, count);
  expect(box.descriptors().map((tool) => tool.name)).toEqual(["greet", "count"]);
  expect(box.descriptors()).toBe(box.descriptors());
  expect(Object.isFrozen(box.descriptors())).toBe(true);
  expect(await box.runner.run({ id: "a", name: "greet", input: { name: "Ada" } })).toEqual({
    id: "a",
    output: "hello Ada",
    isError: false,
    result: { content: [{ kind: "text", text: "hello Ada" }] },
  });
  expect((await box.runner.run({ id: "b", name: "count", input: {} })).output).toBe(2);
});

verifies("waist:ask", "the answers come back under the asker's keys", async () => {
  const asking = defineTool({
    name: "ask",
    description: "Asks.",
    parameters: OBJECT,
    run: async (_input, ctx) => {
      const answers = await ctx.caller?.ask?.(
        {
          colour: { method: "elicitation/create", params: { message: "Which colour?" } },
          roots: { method: "roots/list" },
        },
        ctx.signal,
      );
      return { content: [{ kind: "json", value: answers }] };
    },
  });
  const caller: Caller = {
    key: "session-1",
    can: { elicit: { form: true }, roots: true },
    ask: async (requests) =>
      Object.fromEntries(
        Object.entries(requests).map(([key, question]) => [key, { answered: question.method }]),
      ),
  };
  const outcome = await boxOf(asking).runner.run({ id: "1", name: "ask", input: {} }, undefined, caller);
  expect(outcome.output).toEqual({
    colour: { answered: "elicitation/create" },
    roots: { answered: "roots/list" },
  });
});

verifies("waist:ask", "without a caller that can answer, `ask` is absent", async () => {
  const asking = defineTool({
    name: "ask",
    description: "Asks.",
    parameters: OBJECT,
    run: (_input, ctx) => textResult(ctx.caller?.ask ? "could ask" : "cannot ask"),
  });
  const box = boxOf(asking);
  expect((await box.runner.run({ id: "1", name: "ask", input: {} }, undefined, noAbilities)).output).toBe(
    "cannot ask",
  );
  expect((await box.runner.run({ id: "2", name: "ask", input: {} })).output).toBe("cannot ask");
});

verifies("waist:progress", "notes and entries arrive while the tool still runs", async () => {
  const events: (ProgressNote | LogEntry | string)[] = [];
  const working = defineTool({
    name: "work",
    description: "Works.",
    parameters: OBJECT,
    run: async (_input, ctx) => {
      ctx.caller?.progress?.({ progress: 1, total: 2, message: "half" });
      await Promise.resolve();
      ctx.caller?.log?.({ level: "info", data: "nearly" });
      return textResult("done");
    },
  });
  const caller: Caller = {
    ...noAbilities,
    progress: (note) => events.push(note),
    log: (entry) => events.push(entry),
  };
  const outcome = await boxOf(working).runner.run({ id: "1", name: "work", input: {} }, undefined, caller);
  events.push(String(outcome.output));
  expect(events).toEqual([
    { progress: 1, total: 2, message: "half" },
    { level: "info", data: "nearly" },
    "done",
  ]);
});

verifies("waist:suspend", "the repeated call has the state and the answers", async () => {
  const suspending = mounted("deploy", async (ctx) => {
    if (ctx.caller?.resume) {
      return answeredOutcome(
        ctx.call.id,
        textResult(`${ctx.caller.resume.state} ${JSON.stringify(ctx.caller.resume.responses)}`),
      );
    }
    const waiting = answeredOutcome(ctx.call.id, { content: [] });
    return { ...waiting, suspended: { requests: { sure: { method: "elicitation/create" } }, state: "s1" } };
  });
  const box = boxOf(suspending);
  const can = { suspend: true, elicit: { form: true } };
  const first = await box.runner.run({ id: "1", name: "deploy", input: {} }, undefined, { key: "k", can });
  expect(first.suspended).toEqual({ requests: { sure: { method: "elicitation/create" } }, state: "s1" });
  const resume = { state: "s1", responses: { sure: { action: "accept" } } };
  const second = await box.runner.run({ id: "2", name: "deploy", input: {} }, undefined, {
    key: "k",
    can,
    resume,
  });
  expect(second.suspended).toBeUndefined();
  expect(second.output).toBe('s1 {"sure":{"action":"accept"}}');
});

verifies(
  "waist:upstream-error",
  "the outcome has the code and data of the peer's error, and is not copied",
  async () => {
    const rpc = { code: -32_042, message: "visit the page first", data: { url: "https://example.test/" } };
    const fault = { kind: "tool_error", retrySafe: false, server: "shop", rpc } as const;
    const made = faultOutcome("1", "shop refused: visit the page first", fault);
    const outcome = await boxOf(mounted("buy", async () => made)).runner.run({
      id: "1",
      name: "buy",
      input: {},
    });
    expect(outcome).toBe(made);
    expect(outcome.isError).toBe(true);
    expect(outcome.fault?.rpc).toEqual(rpc);
    expect(outcome.result).toEqual({
      content: [{ kind: "text", text: "shop refused: visit the page first" }],
      isError: true,
    });
  },
);

verifies(
  "waist:on-change",
  "added, changed and removed tools are reported separately, and only if something changed",
  () => {
    const session = makeLocalContext(".");
    const registry = new ToolRegistry().register(greet);
    const box = registry.toToolBox(() => session);
    const changes: ToolBoxChange[] = [];
    const seen: (readonly string[])[] = [];
    box.onChange(() => {
      throw new Error("a listener that fails");
    });
    const stop = box.onChange((change) => {
      changes.push(change);
      seen.push(box.descriptors().map((tool) => tool.name));
    });
    const before = box.descriptors();
    registry.register(greet);
    expect(changes).toEqual([]);
    expect(box.descriptors()).toBe(before);

    const other = defineTool({
      name: "other",
      description: "Other.",
      parameters: OBJECT,
      run: () => textResult(""),
    });
    const better = defineTool({
      name: "greet",
      description: "Greets better.",
      parameters: OBJECT,
      run: () => textResult(""),
    });
    registry.register(other);
    registry.register(better);
    registry.remove("other");
    stop();
    registry.remove("greet");
    expect(changes).toEqual([
      { added: [other.descriptor()], changed: [], removed: [] },
      { added: [], changed: [better.descriptor()], removed: [] },
      { added: [], changed: [], removed: [other.descriptor()] },
    ]);
    expect(seen).toEqual([["greet", "other"], ["greet", "other"], ["greet"]]);
  },
);

verifies("waist:fold", "the fold depends on the number and kind of blocks", () => {
  expect(foldContent([{ kind: "text", text: "one" }])).toBe("one");
  expect(foldContent([{ kind: "json", value: { a: 1 } }])).toEqual({ a: 1 });
  const annotated = { type: "text", text: "two", annotations: { priority: 1 } };
  expect(foldContent([{ kind: "json", value: annotated, mcp: true }])).toBe("two");
  expect(foldContent([{ kind: "json", value: annotated }])).toEqual(annotated);
  expect(foldContent([])).toEqual([]);
  const two = [{ kind: "text", text: "a" } as const, { kind: "json", value: null } as const];
  expect(foldContent(two)).toEqual([
    { kind: "text", text: "a" },
    { kind: "json", value: null },
  ]);
});

verifies("waist:mcp-mark", "mcpBlock sets the flag and keeps its value unchanged", () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png", annotations: { audience: ["user"] } };
  expect(mcpBlock(image)).toEqual({ kind: "json", value: image, mcp: true });
});
