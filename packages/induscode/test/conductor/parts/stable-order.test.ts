import { verifies } from "@indus/testkit";
import fc from "fast-check";
import { Listeners } from "indusagi/core";
import type { ToolDescriptor } from "indusagi/llm";
import { answeredOutcome, createTableBox, listCost, type TableTool, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { stableOrder, throughPrograms, withinWindow } from "../../../src/conductor/parts/stable-order.ts";

function toolOf(name: string, server?: string): TableTool {
  const descriptor: ToolDescriptor = {
    name,
    description: `Does ${name}, and can be described with some more words than that.`,
    parameters: { type: "object", properties: { text: { type: "string" } } },
    ...(server === undefined ? {} : { origin: { server, tool: name } }),
  };
  return { descriptor, run: async ({ id }) => answeredOutcome(id, textResult(name)) };
}

const namesOf = (tools: readonly ToolDescriptor[]): readonly string[] => tools.map(({ name }) => name);

verifies(
  "session:stable-tools",
  "the order of the list does not depend on the order in which servers were ready",
  () => {
    const own = ["write", "edit", "bash"].map((name) => toolOf(name));
    const mounted = ["b__x", "a__z", "a__y", "c__w"].map((name) => toolOf(name, name[0]));
    fc.assert(
      fc.property(fc.shuffledSubarray(mounted, { minLength: mounted.length }), (order) => {
        const table = createTableBox([...own, ...order]);
        const box = stableOrder(table.box);
        expect(namesOf(box.descriptors())).toEqual(["write", "edit", "bash", "a__y", "a__z", "b__x", "c__w"]);
        table.replace([...order.slice(1), ...own]);
        expect(namesOf(box.descriptors()).slice(0, 3)).toEqual(["write", "edit", "bash"]);
      }),
      { numRuns: 20 },
    );
  },
);

verifies(
  "session:stable-tools",
  "more than a tenth of the window: own tools and small servers are listed, the others are searched for and can be called",
  async () => {
    const own = [toolOf("read")];
    const mounted = Array.from({ length: 60 }, (_, index) => toolOf(`s__t${index}`, "s"));
    const table = createTableBox([...own, ...mounted, toolOf("few__one", "few")]);
    const cost = listCost(table.box.descriptors());
    const windows = new Listeners();
    const model = { windowTokens: cost * 10 + 10, onChange: (listener: () => void) => windows.add(listener) };
    const box = withinWindow(table.box, model);
    const changes: number[] = [];
    box.onChange(({ added, removed }) => changes.push(added.length - removed.length));
    expect(box.descriptors()).toHaveLength(62);
    // Another model has a smaller window.
    model.windowTokens = cost * 5;
    windows.emit();
    const before = box.descriptors();
    expect(namesOf(before)).toEqual(["tool_search", "tool_describe", "tool_call", "read", "few__one"]);
    const called = await box.runner.run({ id: "1", name: "s__t50", input: {} });
    expect(called.output).toBe("s__t50");
    expect(box.descriptors()).toBe(before);
    model.windowTokens = cost * 11;
    windows.emit();
    expect(box.descriptors()).toHaveLength(62);
    expect(changes).toEqual([-57, 57]);
  },
);

verifies(
  "code:session",
  "in code mode native tools are listed, those of servers are functions of programs, and both follow changes",
  async () => {
    const table = createTableBox([toolOf("read"), toolOf("my_tool", "s")]);
    const box = throughPrograms(table.box);
    expect(namesOf(box.descriptors())).toEqual(["tool_search", "run_code", "read"]);
    const run = (code: string) => box.runner.run({ id: "1", name: "run_code", input: { code } });
    expect((await run("return [await s.myTool(), await native.read()]")).output).toBe('["my_tool","read"]');
    table.replace([toolOf("read"), toolOf("write"), toolOf("other", "t")]);
    expect(namesOf(box.descriptors())).toEqual(["tool_search", "run_code", "read", "write"]);
    expect((await run("return await t.other()")).output).toBe("other");
  },
  { timeoutMs: 60_000 },
);
