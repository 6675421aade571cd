import { verifies } from "@indus/testkit";
import fc from "fast-check";
import type { ToolDescriptor } from "indusagi/llm";
import { createTableBox, type TableTool, type ToolBoxChange } from "indusagi/runtime";
import { expect } from "vitest";

const NAMES = ["a", "b", "c", "d", "e"] as const;
const VERSIONS = [0, 1, 2] as const;

/** One entry per name and version, so that the same version of a tool is the same object. */
const ENTRIES = new Map(
  NAMES.flatMap((name) => VERSIONS.map((version) => [`${name}${version}`, entry(name, version)] as const)),
);

function entry(name: string, version: number): TableTool {
  return {
    descriptor: { name, description: `version ${version}`, parameters: { type: "object" } },
    run: async ({ id }) => ({
      id,
      output: `${name}${version}`,
      isError: false,
      result: { content: [], isError: false },
    }),
  };
}

const table = fc
  .array(fc.record({ name: fc.constantFrom(...NAMES), version: fc.constantFrom(...VERSIONS) }), {
    maxLength: 8,
  })
  .map((picked) => picked.map(({ name, version }) => ENTRIES.get(`${name}${version}`) as TableTool));

/** What the box should offer: one tool per name, the later one at the position of the first. */
function expectedTools(tools: readonly TableTool[]): TableTool[] {
  const names = [...new Set(tools.map(({ descriptor }) => descriptor.name))];
  return names.map((name) => tools.findLast(({ descriptor }) => descriptor.name === name) as TableTool);
}

function applyChange(before: readonly ToolDescriptor[], change: ToolBoxChange): Map<string, ToolDescriptor> {
  const after = new Map(before.map((descriptor) => [descriptor.name, descriptor]));
  for (const { name } of change.removed) expect(after.delete(name)).toBe(true);
  for (const descriptor of change.changed) {
    expect(after.has(descriptor.name)).toBe(true);
    after.set(descriptor.name, descriptor);
  }
  for (const descriptor of change.added) {
    expect(after.has(descriptor.name)).toBe(false);
    after.set(descriptor.name, descriptor);
  }
  return after;
}

verifies("box:table", "after any replacements the box has the last table, and reports the difference", () => {
  fc.assert(
    fc.property(table, fc.array(table, { maxLength: 6 }), (initial, replacements) => {
      const { box, replace } = createTableBox(initial);
      const changes: ToolBoxChange[] = [];
      box.onChange((change) => void changes.push(change));
      let tools = expectedTools(initial);
      expect(box.descriptors()).toEqual(tools.map(({ descriptor }) => descriptor));
      for (const next of replacements) {
        const before = box.descriptors();
        const old = tools;
        tools = expectedTools(next);
        changes.length = 0;
        replace(next);
        const after = box.descriptors();
        expect(Object.isFrozen(after)).toBe(true);
        expect(after).toEqual(tools.map(({ descriptor }) => descriptor));
        const isSame = tools.length === old.length && tools.every((tool, index) => tool === old[index]);
        expect(after === before).toBe(isSame);
        const isSameSet = tools.length === old.length && tools.every((tool) => old.includes(tool));
        expect(changes).toHaveLength(isSameSet ? 0 : 1);
        const [change = { added: [], changed: [], removed: [] }] = changes;
        const applied = applyChange(before, change);
        expect(applied.size).toBe(after.length);
        for (const descriptor of after) expect(applied.get(descriptor.name)).toBe(descriptor);
      }
    }),
  );
});

verifies("box:table", "a call runs the newest version, and a name that is gone is unknown", async () => {
  const { box, replace } = createTableBox([entry("a", 0), entry("b", 0)]);
  const run = async (name: string): Promise<unknown> => box.runner.run({ id: "1", name, input: {} });
  expect(await run("a")).toMatchObject({ output: "a0" });
  replace([entry("a", 1)]);
  expect(await run("a")).toMatchObject({ output: "a1" });
  expect(await run("b")).toMatchObject({ id: "1", isError: true, fault: { reason: "unknown_tool" } });
});

verifies("box:table", "a listener sees the new tools, and a removed listener is not called", () => {
  const { box, replace } = createTableBox();
  const seen: number[] = [];
  const stop = box.onChange(() => void seen.push(box.descriptors().length));
  replace([entry("a", 0), entry("b", 0)]);
  stop();
  replace([]);
  expect(seen).toEqual([2]);
});
