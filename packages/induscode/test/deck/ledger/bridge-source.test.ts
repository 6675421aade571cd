import { verifies } from "@indus/testkit";
import { answeredOutcome, createTableBox, type TableTool, textResult } from "indusagi/runtime";
import { bridgeBoxSource } from "induscode/deck";
import { expect } from "vitest";

const tool = (name: string): TableTool => ({
  descriptor: { name, description: "", parameters: {} },
  run: async ({ id }) => answeredOutcome(id, textResult(name)),
});

verifies(
  "ledger:capability",
  "a source follows its box and keeps the capabilities of unchanged tools",
  () => {
    const [one, two] = [tool("s__one"), tool("s__two")];
    const table = createTableBox([one, two]);
    const source = bridgeBoxSource(table.box);
    const [first, second] = source.list();
    const seen: string[][] = [];
    const remove = source.onChange(() => seen.push(source.list().map(({ name }) => name)));
    table.replace([two, tool("s__three")]);
    expect(source.list()[0]).toBe(second);
    expect(source.list()).not.toContain(first);
    remove();
    table.replace([]);
    expect(seen).toEqual([["s__two", "s__three"]]);
  },
);

verifies("ledger:capability", "a changed tool is a new capability, the same for all listeners", () => {
  const one = tool("s__one");
  const table = createTableBox([one]);
  const source = bridgeBoxSource(table.box);
  const [before] = source.list();
  const seen = new Set<unknown>();
  for (const _ of [1, 2]) source.onChange(() => seen.add(source.list()[0]));
  table.replace([{ ...one }]);
  expect(seen.size).toBe(1);
  expect(seen.has(before)).toBe(false);
});
