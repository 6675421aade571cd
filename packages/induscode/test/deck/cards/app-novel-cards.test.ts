import { tempDir, verifies } from "@indus/testkit";
import fc from "fast-check";
import { appNovelCards, inProfile } from "induscode/deck";
import { expect } from "vitest";
import { openCard } from "./card-session.ts";

verifies("cards:rows", "the rows are in the sister editions' order, each in the profile all only", () => {
  const rows = appNovelCards();
  expect(rows.map((row) => row.id)).toEqual([
    "todo",
    "bg-process",
    "task",
    "saas-action",
    "memory",
    "enter_plan_mode",
    "exit_plan_mode",
  ]);
  for (const row of rows) {
    expect(row.profiles).toEqual(["all"]);
    expect(inProfile(row, "survey")).toBe(false);
    const capability = row.build({ cwd: "/", framework: {} });
    expect(capability.name).toBe(row.id);
    expect(capability.label).toBe(row.title);
    expect(capability.descriptor).toMatchObject({
      name: row.id,
      title: row.title,
      description: capability.description,
      annotations: { readOnlyHint: capability.readOnly },
    });
    expect(capability.descriptor.parameters).toBe(capability.parameters);
    expect(capability.descriptor).toBe(capability.descriptor);
  }
});

verifies("cards:rows", "two capabilities of one card share no state", async () => {
  await using dir = await tempDir();
  const shares: { readonly [id: string]: readonly [object, object, string] } = {
    todo: [{ action: "set", items: [{ task: "mine" }] }, { action: "read" }, "the list is empty"],
    memory: [{ action: "append", content: "mine" }, { action: "read" }, "(no notes)"],
    "bg-process": [{ action: "start", command: "true" }, { action: "list" }, "no jobs"],
  };
  for (const card of appNovelCards()) {
    const [write, read, nothing] = shares[card.id] ?? [];
    if (!write) continue;
    await using one = openCard(card, dir.path);
    await using other = openCard(card, dir.path);
    expect((await one.run(write)).outcome.isError).toBe(false);
    expect((await one.run(read)).text).not.toBe(nothing);
    expect((await other.run(read)).text).toBe(nothing);
  }
});

verifies("cards:arguments", "missing and wrong fields are named, whatever the card", async () => {
  await using dir = await tempDir();
  for (const card of appNovelCards()) {
    await using session = openCard(card, dir.path);
    const wrong = card.id === "enter_plan_mode" ? "no object" : { action: 7, objective: 7, plan: 7 };
    const { outcome, text } = await session.run(wrong);
    expect(outcome.isError).toBe(true);
    expect(text).toMatch(new RegExp(`^${card.id}: .*(action|objective|plan|object)`));
  }
});

const READING: readonly (readonly [string, string])[] = [
  ["todo", "read"],
  ["memory", "read"],
  ["bg-process", "list"],
  ["bg-process", "poll"],
  ["saas-action", "discover"],
];
const WRITING: readonly (readonly [string, string])[] = [
  ["todo", "set"],
  ["memory", "replace"],
  ["memory", "append"],
  ["bg-process", "start"],
  ["bg-process", "stop"],
  ["saas-action", "execute"],
];

const effectOf = (id: string, input: unknown) => {
  const card = appNovelCards().find((row) => row.id === id);
  return card?.build({ cwd: "/", framework: {} }).effect?.(input);
};

verifies("cards:effects", "an action that only reads has a read-only effect, any other has not", () => {
  for (const [id, action] of READING)
    expect(effectOf(id, { action }), `${id} ${action}`).toMatchObject({ readOnly: true });
  for (const [id, action] of WRITING)
    expect(effectOf(id, { action }), `${id} ${action}`).toMatchObject({ readOnly: false });
  // Arguments sent as text are read as the card reads them.
  expect(effectOf("memory", '{"action":"read"}')).toMatchObject({ readOnly: true });
  expect(effectOf("memory", '{"action":"replace","content":"x"}')).toMatchObject({ destructive: true });
  expect(effectOf("memory", { action: "append", content: "x" })).toMatchObject({ destructive: false });
});

verifies("cards:effects", "an effect never throws, and nothing but a reading action is read-only", () => {
  const ids = ["todo", "memory", "bg-process", "saas-action"];
  fc.assert(
    fc.property(fc.constantFrom(...ids), fc.anything(), (id, input) => {
      expect(effectOf(id, input)?.readOnly).toBe(false);
    }),
  );
});
