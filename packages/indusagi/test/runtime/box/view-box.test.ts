import { verifies } from "@indus/testkit";
import { answeredOutcome, createTableBox, type TableTool, textResult, viewBox } from "indusagi/runtime";
import { expect } from "vitest";

const calls: string[] = [];
const tool = (name: string, description = ""): TableTool => ({
  descriptor: { name, description, parameters: { type: "object" } },
  run: async (call) => {
    calls.push(call.name);
    return answeredOutcome(call.id, textResult(`ran ${call.name}`));
  },
});

verifies("routes:view", "tools are shown under other names, and called under their own", async () => {
  const table = createTableBox([tool("a__x"), tool("b__y")], {
    refusalOf: (name) =>
      name === "a__z" ? { message: "withheld", fault: { kind: "tool_error", retrySafe: true } } : undefined,
  });
  const view = viewBox(table.box, {
    show: (own) => (own.name.startsWith("a__") ? { ...own, name: own.name.slice(3) } : undefined),
    refusalOf: (name) => table.box.refusalOf?.(`a__${name}`),
  });
  expect(view.descriptors().map(({ name }) => name)).toEqual(["x"]);
  expect((await view.runner.run({ id: "1", name: "x", input: {} })).isError).toBe(false);
  expect(calls).toEqual(["a__x"]);
  for (const name of ["a__x", "y", "b__y"])
    expect((await view.runner.run({ id: "1", name, input: {} })).isError, name).toBe(true);
  expect((await view.runner.run({ id: "1", name: "z", input: {} })).output).toContain("withheld");
  expect(calls).toEqual(["a__x"]);
});

verifies("routes:view", "it follows the box and reports only what it shows", () => {
  const kept = tool("a__x");
  const table = createTableBox([kept]);
  let isOpen = false;
  let change = (): void => {};
  const view = viewBox(table.box, {
    show: (own) => (isOpen || own.name.startsWith("a__") ? own : undefined),
    onShowChange: (listener) => (change = listener),
  });
  const before = view.descriptors();
  const seen: string[] = [];
  view.onChange(({ added, changed, removed }) =>
    seen.push(
      [
        ...added.map(({ name }) => `+${name}`),
        ...changed.map(({ name }) => `~${name}`),
        ...removed.map(({ name }) => `-${name}`),
      ].join(" "),
    ),
  );
  table.replace([kept, tool("b__y")]);
  expect(view.descriptors()).toBe(before);
  isOpen = true;
  change();
  table.replace([tool("a__x", "changed"), tool("a__z")]);
  expect(seen).toEqual(["+b__y", "+a__z ~a__x -b__y"]);
});
