import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir, verifies } from "@indus/testkit";
import { type DefinedTool, makeLocalContext, readTool, type ToolContext } from "indusagi/capabilities";
import type { ToolOutcome } from "indusagi/runtime";
import { BuiltinCard, buildBuiltin } from "induscode/deck";
import { expect } from "vitest";

const label = { title: "Read file", readOnly: true };

function contextIn(folder: string, call: Partial<ToolContext> = {}): ToolContext {
  const session = makeLocalContext(folder);
  const signal = new AbortController().signal;
  return { ...session, signal, call: { id: "c7", name: "read", input: {} }, ...call };
}

verifies("deck:builtin-card", "the card has the tool's own descriptor and the deck's title", () => {
  const tool = readTool();
  const card = new BuiltinCard(tool, label);
  expect(card.descriptor).toBe(tool.descriptor());
  expect(card).toMatchObject({ name: "read", label: "Read file", readOnly: true });
  expect([card.description, card.parameters]).toEqual([tool.description, tool.parameters]);
});

verifies("deck:builtin-card", "run and invoke give the tool's result and outcome", async () => {
  await using folder = await tempDir();
  writeFileSync(join(folder.path, "a.txt"), "one\n");
  const ctx = contextIn(folder.path);
  const card = buildBuiltin("read", { cwd: folder.path, framework: {} });
  const alone = await readTool().execute({ path: "a.txt" }, ctx);
  expect(await card.run({ path: "a.txt" }, ctx)).toEqual(alone);
  const outcome = await card.invoke?.({ id: "c8", name: "read", input: { path: "missing" } }, ctx);
  expect(outcome).toMatchObject({ id: "c8", isError: true });
});

/** A tool that records its calls, as one of an older contract: without `result`. */
function oldTool(output: unknown, isError: boolean): { readonly tool: DefinedTool; readonly ids: string[] } {
  const ids: string[] = [];
  const invoke: DefinedTool["invoke"] = async ({ id }) => {
    ids.push(id);
    return { id, output, isError } as ToolOutcome;
  };
  return { tool: { ...readTool(), invoke }, ids };
}

verifies("deck:builtin-card", "the id of the current call is kept; without one it is made", async () => {
  const { tool, ids } = oldTool("x", false);
  const card = new BuiltinCard(tool, label);
  await card.run({}, contextIn("."));
  await card.run({}, { ...contextIn("."), call: undefined as unknown as ToolContext["call"] });
  expect(ids).toEqual(["c7", "read-builtin"]);
});

verifies("deck:builtin-card", "an outcome without a result becomes a text or a json block", async () => {
  const resultOf = (output: unknown, isError: boolean) =>
    new BuiltinCard(oldTool(output, isError).tool, label).run({}, contextIn("."));
  expect(await resultOf("plain", false)).toEqual({ content: [{ kind: "text", text: "plain" }] });
  expect(await resultOf({ a: 1 }, true)).toEqual({
    content: [{ kind: "json", value: { a: 1 } }],
    isError: true,
  });
});
