import { verifies } from "@indus/testkit";
import { defineTool, makeLocalContext, ToolRegistry, textResult } from "indusagi/capabilities";
import { joinBoxes, type ToolBox, type ToolBoxChange } from "indusagi/runtime";
import { expect } from "vitest";

const tool = (name: string, message: string): ReturnType<typeof defineTool> =>
  defineTool({
    name,
    description: message,
    parameters: { type: "object" },
    run: async () => textResult(message),
  });

const boxOf = (registry: ToolRegistry): ToolBox => {
  const context = makeLocalContext(process.cwd());
  return registry.toToolBox(() => context);
};

const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

verifies("command:join-boxes", "order, equal names, calls and changes", async () => {
  const first = new ToolRegistry().registerAll([tool("a", "first a"), tool("b", "first b")]);
  const second = new ToolRegistry().registerAll([tool("b", "second b"), tool("c", "second c")]);
  const reports: string[] = [];
  const box = joinBoxes([boxOf(first), boxOf(second)], (message) => void reports.push(message));
  const say = async (name: string): Promise<unknown> =>
    (await box.runner.run({ id: "1", name, input: {} })).output;
  const changes: ToolBoxChange[] = [];
  const stop = box.onChange((change) => void changes.push(change));

  expect(names(box.descriptors())).toEqual(["a", "b", "c"]);
  expect(box.descriptors()).toBe(box.descriptors());
  expect(reports).toEqual(["a second tool named b is not offered: the name is taken"]);
  expect([await say("b"), await say("c")]).toEqual(["first b", "second c"]);
  expect(await box.runner.run({ id: "2", name: "z", input: {} })).toMatchObject({
    id: "2",
    isError: true,
    fault: { reason: "unknown_tool" },
  });

  const before = box.descriptors();
  second.register(tool("b", "hidden all the same"));
  expect(changes).toEqual([]);
  expect(box.descriptors()).toBe(before);

  second.register(tool("d", "new"));
  first.remove("b");
  expect(
    changes.map(({ added, changed, removed }) => [names(added), names(changed), names(removed)]),
  ).toEqual([
    [["d"], [], []],
    [[], ["b"], []],
  ]);
  expect(names(box.descriptors())).toEqual(["a", "b", "c", "d"]);
  expect(await say("b")).toBe("hidden all the same");
  expect(reports).toHaveLength(1);

  stop();
  second.remove("c");
  expect(changes).toHaveLength(2);
});
