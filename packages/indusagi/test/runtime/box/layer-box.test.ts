import { toolLookUps, verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  answeredOutcome,
  createTableBox,
  layerBox,
  type Tool,
  type ToolBox,
  type ToolBoxChange,
  textResult,
  toolsOf,
  viewBox,
} from "indusagi/runtime";
import { expect } from "vitest";

const tool = (name: string, description = name): Tool => ({
  descriptor: { name, description, parameters: { type: "object" } },
  run: async ({ id, name: called }) => answeredOutcome(id, textResult(called)),
});
const said = async (box: ToolBox, name: string): Promise<unknown> =>
  (await box.runner.run({ id: "1", name, input: {} })).output;

/** A layer that adds its letter to what each call of a listed tool, and of one that is not, returns. */
const lettered = (box: ToolBox, letter: string): ToolBox => {
  const around =
    (run: Tool["run"]): Tool["run"] =>
    async (call, signal, caller) => {
      const { id, output } = await run(call, signal, caller);
      return answeredOutcome(id, textResult(`${letter}(${String(output)})`));
    };
  return layerBox(box, { call: ({ run }) => around(run), missing: around });
};

verifies("house:layers", "layers run from the outside to the inside, whatever their number and order", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 }), async (letters) => {
      const box = letters.reduce(lettered, createTableBox([tool("x")]).box);
      const around = (inner: string): string =>
        letters.reduce((shown, letter) => `${letter}(${shown})`, inner);
      expect(await said(box, "x")).toBe(around("x"));
      expect(await said(box, "y")).toBe(around('there is no tool named "y"'));
    }),
  ),
);

verifies("house:layers", "a call looks its tool up once, in the table of the outermost box", async () => {
  const table = createTableBox([tool("own__x")]);
  const view = viewBox(table.box, { show: (own) => ({ ...own, name: own.name.slice("own__".length) }) });
  const box = lettered(lettered(layerBox(view, { list: (tools) => tools.toReversed() }), "a"), "b");
  const lookedUp = await toolLookUps(["x", "own__x"], async () =>
    expect(await said(box, "x")).toBe("b(a(own__x))"),
  );
  expect(lookedUp).toEqual(["x"]);
});

verifies(
  "house:layers",
  "a layer that leaves a tool out does not run it, and one that does not list may",
  async () => {
    const inner = createTableBox([tool("kept"), tool("left")]).box;
    const filtered = layerBox(inner, {
      list: (tools) => tools.filter(({ descriptor }) => descriptor.name === "kept"),
    });
    expect(await said(filtered, "left")).toBe('there is no tool named "left"');
    const hiding = layerBox(inner, { list: () => [], missing: (next) => next });
    expect(hiding.descriptors()).toEqual([]);
    expect(await said(hiding, "left")).toBe("left");
  },
);

verifies("house:layers", "a layer above one that paces its changes has the tools at once", () => {
  const table = createTableBox();
  let tell = (): void => {};
  const paced = layerBox(table.box, {
    changes: (onChange) => (listener) => onChange((change) => (tell = () => listener(change))),
  });
  const above = viewBox(paced, { show: (own) => own });
  const changes: ToolBoxChange[] = [];
  paced.onChange((change) => changes.push(change));
  table.replace([tool("x")]);
  expect(above.descriptors().map(({ name }) => name)).toEqual(["x"]);
  expect(changes).toEqual([]);
  tell();
  expect(changes).toHaveLength(1);
});

verifies(
  "house:layers",
  "an unchanged tool keeps its object through layers, also over a box of someone else",
  () => {
    const first = tool("x");
    const table = createTableBox([first, tool("y")]);
    const { box } = table;
    const foreign: ToolBox = {
      descriptors: () => box.descriptors(),
      onChange: (listener) => box.onChange(listener),
      runner: box.runner,
    };
    for (const below of [box, foreign]) {
      const layered = lettered(viewBox(below, { show: (own) => own }), "a");
      table.replace([first, tool("y")]);
      const [before] = toolsOf(layered);
      table.replace([first, tool("y", "changed")]);
      const [after, changed] = toolsOf(layered);
      expect(after).toBe(before);
      expect(changed?.descriptor.description).toBe("changed");
    }
  },
);
