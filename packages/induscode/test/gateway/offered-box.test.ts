import { verifies } from "@indus/testkit";
import type { BoxSource, HostClient } from "indusagi/interop";
import { answeredOutcome, createTableBox, type ToolBox, textResult } from "indusagi/runtime";
import { expect } from "vitest";
import { offeredBox } from "../../src/gateway/index.ts";

/** A box with so many tools of one server. */
function boxWith(count: number): ToolBox {
  const tools = Array.from({ length: count }, (_, at) => ({
    descriptor: {
      name: `s__t${at}`,
      description: "x",
      parameters: { type: "object" },
      origin: { server: "s", tool: `t${at}` },
    },
    run: async ({ id }: { readonly id: string }) => answeredOutcome(id, textResult("done")),
  }));
  return createTableBox(tools).box;
}

const finish = (box: ToolBox): ToolBox => box;
const OWN = ["tool_search", "tool_describe", "tool_call"];

function listed(source: BoxSource, name: string): string[] {
  const client: HostClient = { key: "k", era: "legacy", client: { name, version: "1" } };
  const box = typeof source === "function" ? source(client) : source;
  return box.descriptors().map((tool) => tool.name);
}

verifies("economy:clients", "all lists all, search the three tools, whatever the client", () => {
  const box = boxWith(200);
  expect(offeredBox(box, { mode: "all", finish })).toBe(box);
  expect(listed(offeredBox(box, { mode: "search", finish }), "any")).toEqual(OWN);
});

verifies("economy:clients", "auto: Cursor above 40 tools, VS Code above 128, others by tokens", () => {
  const lists = (count: number, name: string): boolean =>
    listed(offeredBox(boxWith(count), { mode: "auto", finish }), name).length === count;
  expect([lists(40, "cursor-vscode"), lists(41, "cursor-vscode")]).toEqual([true, false]);
  for (const name of ["Visual Studio Code", "Visual Studio Code - Insiders"])
    expect([lists(128, name), lists(129, name)], name).toEqual([true, false]);
  expect([lists(129, "claude-code"), lists(129, "")]).toEqual([true, true]);
  // About 17 tokens each.
  expect(lists(2_000, "claude-code")).toBe(false);
});

verifies("economy:clients", "clients with the same limits share one box", () => {
  const source = offeredBox(boxWith(50), { mode: "auto", finish });
  if (typeof source !== "function") throw new Error("auto chooses by client");
  const choose = (name: string): ToolBox => source({ key: name, era: "modern", client: { name } });
  expect(choose("cursor-vscode")).toBe(choose("Cursor"));
  expect(choose("codex-mcp-client")).toBe(choose("claude-code"));
  expect(choose("codex-mcp-client")).not.toBe(choose("Cursor"));
});
