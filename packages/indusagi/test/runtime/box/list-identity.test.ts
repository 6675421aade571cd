import { verifies } from "@indus/testkit";
import fc from "fast-check";
import {
  answeredOutcome,
  createTableBox,
  economize,
  joinBoxes,
  type TableTool,
  type ToolBox,
  textResult,
  viewBox,
  wrapCalls,
} from "indusagi/runtime";
import { expect } from "vitest";

const tool = (name: string): TableTool => ({
  descriptor: { name, description: name, parameters: { type: "object" } },
  run: async ({ id }) => answeredOutcome(id, textResult(name)),
});

/** Every public way from a box to a box. */
const LAYERS: { readonly [name: string]: (box: ToolBox) => ToolBox } = {
  view: (box) => viewBox(box, { show: (each) => (each.name === "hidden" ? undefined : each) }),
  join: (box) => joinBoxes([box, createTableBox([tool("other")]).box]),
  wrap: (box) => wrapCalls(box, (call, signal, caller) => box.runner.run(call, signal, caller)),
  economize: (box) => economize(box, { above: { tools: 2 } }),
};

verifies(
  "house:layer-identity",
  "through any layers a list is the same frozen array until the tools change",
  () => {
    const layers = fc.array(fc.constantFrom(...Object.keys(LAYERS)), { maxLength: 5 });
    const steps = fc.array(fc.uniqueArray(fc.constantFrom("a", "b", "c", "hidden"), { maxLength: 4 }), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(layers, steps, (order, lists) => {
        const tools = new Map(["a", "b", "c", "hidden"].map((name) => [name, tool(name)]));
        const table = createTableBox();
        const box = order.reduce(
          (inner, name) => (LAYERS[name] as (each: ToolBox) => ToolBox)(inner),
          table.box,
        );
        let changes = 0;
        box.onChange(() => (changes += 1));
        let before = box.descriptors();
        for (const list of lists) {
          changes = 0;
          table.replace(list.map((name) => tools.get(name) as TableTool));
          const now = box.descriptors();
          expect(Object.isFrozen(now)).toBe(true);
          expect(box.descriptors()).toBe(now);
          const names = (each: typeof now): string => each.map(({ name }) => name).join();
          const inAnyOrder = (each: typeof now): string =>
            each
              .map(({ name }) => name)
              .toSorted()
              .join();
          if (names(before) !== names(now)) expect(now).not.toBe(before);
          if (inAnyOrder(now) !== inAnyOrder(before)) expect(changes).toBeGreaterThan(0);
          before = now;
        }
      }),
    );
  },
);
