import { verifies } from "@indus/testkit";
import { defineTool } from "indusagi/capabilities";
import {
  answeredOutcome,
  createTableBox,
  economize,
  type Tool,
  type ToolBox,
  type ToolBoxChange,
  textResult,
  toolsOf,
  viewBox,
  wrapCalls,
} from "indusagi/runtime";
import { expect } from "vitest";

const tool = (name: string, parameters: object = { type: "object" }): Tool => ({
  descriptor: { name, description: "", parameters: { ...parameters }, origin: { server: "s", tool: name } },
  run: async ({ id }) => answeredOutcome(id, textResult("ran")),
});
const said = async (box: ToolBox, name: string): Promise<unknown> =>
  (await box.runner.run({ id: "1", name, input: {} })).output;
const GONE = 'there is no tool named "a"';

verifies("house:last-word", "a tool that someone holds is not run once its table has lost it", async () => {
  const table = createTableBox([tool("a")]);
  const [held] = toolsOf(viewBox(table.box, { show: (each) => each }));
  table.replace([]);
  expect((await held?.run({ id: "1", name: "a", input: {} }))?.output).toBe(GONE);
});

verifies("house:last-word", "who is told of a change first finds it through every layer", async () => {
  const table = createTableBox([tool("a")]);
  const heard: Promise<unknown>[] = [];
  let outer: ToolBox = table.box;
  table.box.onChange(() => heard.push(said(outer, "a")));
  outer = viewBox(table.box, { show: (each) => each });
  table.replace([]);
  expect(await Promise.all(heard)).toEqual([GONE]);
});

verifies("house:last-word", "the order of the tools is that of the table through every layer", () => {
  const [a, b] = [tool("a"), tool("b")];
  const table = createTableBox([a, b]);
  const outer = wrapCalls(table.box, (...call) => table.box.runner.run(...call));
  table.replace([b, a]);
  expect(outer.descriptors().map(({ name }) => name)).toEqual(["b", "a"]);
});

verifies("house:last-word", "a layer that cannot make its list runs no tool that is gone", async () => {
  const table = createTableBox([tool("a")]);
  const show = (each: Tool["descriptor"]): Tool["descriptor"] => {
    if (each.name === "bad") throw new Error("it cannot be shown");
    return each;
  };
  const view = viewBox(table.box, { show });
  const search = economize(table.box);
  let deep: object = { type: "string" };
  for (let level = 0; level < 20_000; level += 1) deep = { type: "object", properties: { a: deep } };
  table.replace([tool("bad"), tool("deep", deep)]);
  expect([await said(view, "a"), await said(search, "a")]).toEqual([GONE, GONE]);
});

verifies(
  "house:last-word",
  "a box that describes its tools anew at each look is followed by its events, in few looks",
  () => {
    let looks = 0;
    let names = ["a"];
    const listeners: ((change: ToolBoxChange) => void)[] = [];
    const box: ToolBox = {
      descriptors: () => {
        looks += 1;
        return names.map((name) => ({ name, description: "", parameters: { type: "object" } }));
      },
      onChange: (listener) => {
        listeners.push(listener);
        return () => {};
      },
      runner: { run: async ({ id }) => answeredOutcome(id, textResult("ran")) },
    };
    const views = [1, 2].map(() => viewBox(box, { show: (each) => each }));
    let events = 0;
    views[0]?.onChange(() => (events += 1));
    names = ["a", "b"];
    for (const listener of listeners) listener({ added: [], changed: [], removed: [] });
    for (const view of views) expect(view.descriptors().map(({ name }) => name)).toEqual(["a", "b"]);
    expect(events).toBe(1);
    expect(looks).toBeLessThan(20);
  },
);

verifies(
  "house:last-word",
  "a box of someone else that loses its last tool loses it in a layer too",
  async () => {
    const table = createTableBox([tool("a")]);
    const other: ToolBox = { ...table.box };
    const view = viewBox(other, { show: (each) => each });
    const seen: number[] = [];
    view.onChange(() => void seen.push(view.descriptors().length));
    table.replace([]);
    table.replace([tool("a")]);
    table.replace([]);
    expect(seen).toEqual([0, 1, 0]);
    expect(await said(view, "a")).toBe(GONE);
  },
);

verifies("house:last-word", "a call that is made again has its own arguments", async () => {
  const got: unknown[] = [];
  const changing = defineTool({
    name: "t",
    description: "",
    parameters: { type: "object", properties: { n: { type: "integer" } } },
    run: (input) => {
      got.push({ ...(input as object) });
      (input as { n: number }).n = 99;
      return textResult("");
    },
  });
  const call = { id: "1", name: "t", input: { n: "5" } };
  for (const _ of [1, 2]) await changing.invoke(call, { call } as never);
  expect(got).toEqual([{ n: 5 }, { n: 5 }]);
});
